/** `uncaged-workflow mcp`: the tools of this folder, to one client, until it closes its end.
 *
 *  1. stdout is the protocol's. The tools print nothing: they are lent a world without output.
 *  2. A failure is a tool result with code, message and hint, for the agent to act on.
 *  3. Client and server may be years apart: the older handshake is served as well. */
import { finished, Readable, Writable } from "node:stream";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { cliVersion } from "../cli-version.ts";
import type { Output } from "../command.ts";
import type { Io, Sink } from "../io.ts";
import { printable } from "../printable.ts";
import { STORE_TOOLS } from "./store-tools.ts";
import { THREAD_TOOLS } from "./thread-tools.ts";
import type { Tool } from "./tool.ts";

/** A prompt of 2 MB, and whatever JSON makes of it. */
const MOST_MESSAGE_BYTES = 16 * 1024 * 1024;

export async function serve(io: Io): Promise<Result<Output, Failure>> {
  if (io.stdin.kind === "terminal") return err(NOBODY_THERE);
  const input = Readable.from(io.stdin.chunks());
  const closed = new Promise<void>((resolve) => finished(input, () => resolve()));
  const transport = new StdioServerTransport(input, streamInto(io.stdout), {
    maxBufferSize: MOST_MESSAGE_BYTES,
  });
  const handle = serveStdio(() => serverWith([...THREAD_TOOLS, ...STORE_TOOLS], quiet(io)), {
    transport,
    onerror: (error) => void io.stderr.write(`mcp: ${printable(error.message)}\n`),
  });
  await closed;
  await handle.close();
  return ok({ streamed: true });
}

const NOBODY_THERE = failure(
  "USAGE",
  "mcp speaks to a program on stdin, and this is a terminal",
  "have your agent start it, for example: claude mcp add workflow -- uncaged-workflow mcp",
);

function serverWith(tools: readonly Tool[], io: Io): McpServer {
  const server = new McpServer(
    { name: "uncaged-workflow", version: cliVersion() },
    { instructions: INSTRUCTIONS },
  );
  for (const { name, description, readOnly, arguments: schema, call } of tools) {
    const annotations = { readOnlyHint: readOnly, openWorldHint: false };
    const inputSchema = unchecked(schema);
    server.registerTool(name, { description, inputSchema, annotations }, async (input, ctx) => {
      const answer = await call(input, { io, signal: ctx.mcpReq.signal });
      const text = answer.ok ? answer.value : JSON.stringify({ error: answer.error });
      return { content: [{ type: "text", text }], isError: !answer.ok };
    });
  }
  return server;
}

const INSTRUCTIONS =
  "Threads are runs of workflows, step by step, each step a role's result. A failed call gives { error: { code, message, hint } }: decide by `code`; `hint` says what to do next.";

/** Shows the schema and lets everything pass: the tool itself checks, so that its failure has a code. */
function unchecked(schema: Tool["arguments"]) {
  const standard = schema["~standard"];
  return { "~standard": { ...standard, validate: (value: unknown) => ({ value }) } };
}

/** Tools answer by what they return. */
function quiet(io: Io): Io {
  const sink: Sink = { write: async () => {}, isTerminal: false, color: false, columns: null };
  const stdin: Io["stdin"] = { kind: "none", chunks: () => Readable.from([]) };
  return { ...io, json: true, stdin, stdout: sink, stderr: sink };
}

function streamInto(sink: Sink): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => void sink.write(String(chunk)).then(() => done(), done),
  });
}
