/** Lends tools of the engine to an agent that starts servers of the Model Context Protocol.
 *
 *  1. The tools run here, in the engine's process. What the agent starts only carries bytes between its own stdin and
 *     stdout and a socket, in a folder that only this user can enter.
 *  2. The socket is gone with the step: an agent that outlives it can call nothing any more. */
import { createServer, type Socket } from "node:net";
import type { EngineTool, JsonValue } from "@uncaged/workflow-protocol";
import { redactJson } from "../answer/redact-json.ts";
import type { ToolServer } from "../driver/agent-driver.ts";
import { onOwnSocket } from "../process/own-socket.ts";

export type LentTools = { server: ToolServer; close(): Promise<void> };

/** A prompt of 2 MB, with JSON's overhead. */
const MOST_MESSAGE_BYTES = 16 * 1024 * 1024;

export async function lendTools(tools: readonly EngineTool[]): Promise<LentTools> {
  const server = createServer((connection) => {
    serve(tools, connection).catch(() => connection.destroy());
  });
  const { path, close } = await onOwnSocket("uwf-tools-", server);
  return {
    server: { name: "workers", command: process.execPath, args: ["-e", BRIDGE, path] },
    close,
  };
}

/** What a tool is given may hold secrets that the agent has seen. */
export function redactedTool(tool: EngineTool, redact: (text: string) => string): EngineTool {
  return { ...tool, call: (input) => tool.call(redactJson(input, redact)) };
}

const BRIDGE =
  'const s=require("node:net").connect(process.argv[1]);process.stdin.pipe(s).pipe(process.stdout);s.on("error",()=>process.exit(1));s.on("close",()=>process.exit(0))';

/** Loaded only where tools are lent. */
async function serve(tools: readonly EngineTool[], connection: Socket): Promise<void> {
  const { fromJsonSchema, McpServer } = await import("@modelcontextprotocol/server");
  const { StdioServerTransport, serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const transport = new StdioServerTransport(connection, connection, {
    maxBufferSize: MOST_MESSAGE_BYTES,
  });
  serveStdio(
    () => {
      const server = new McpServer({ name: "workers", version: "1" });
      for (const { name, description, parameters, readOnly, call } of tools) {
        const annotations = { readOnlyHint: readOnly, openWorldHint: false };
        const inputSchema = fromJsonSchema<JsonValue>(parameters);
        server.registerTool(name, { description, inputSchema, annotations }, async (input) => {
          const { text, ok } = await call(input);
          return { content: [{ type: "text", text }], isError: !ok };
        });
      }
      return server;
    },
    { transport, onerror: () => connection.destroy() },
  );
}
