/** `uncaged-workflow mcp`: serves the tools of this folder to one client, until it closes its end.
 *
 *  1. stdout belongs to the protocol. The tools print nothing: they get a world without output.
 *  2. A failure is a tool result with code, message and hint, for the agent to act on.
 *  3. It does not wait without bound for a client that does not read.
 *  4. Client and server may be years apart: the older handshake is supported as well. */
import { finished, Readable } from "node:stream";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { EXIT, err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { cliVersion } from "../command/cli-version.ts";
import type { Output } from "../command/command.ts";
import type { Io, Sink } from "../command/io.ts";
import { printable } from "../terminal/printable.ts";
import { type BoundedOutput, boundedOutput } from "./bounded-output.ts";
import { STORE_TOOLS } from "./store-tools.ts";
import { THREAD_TOOLS } from "./thread-tools.ts";
import type { Tool } from "./tool.ts";

/** A prompt of 2 MB, with JSON's overhead. */
const MOST_MESSAGE_BYTES = 16 * 1024 * 1024;

export async function serve(io: Io): Promise<Result<Output, Failure>> {
  if (io.stdin.kind === "terminal") return err(NOBODY_THERE);
  const output = boundedOutput(io.stdout);
  const input = Readable.from(output.whileRead(io.stdin.chunks()));
  const closed = new Promise<"closed">((resolve) => finished(input, () => resolve("closed")));
  const transport = new StdioServerTransport(input, output.stream, {
    maxBufferSize: MOST_MESSAGE_BYTES,
  });
  const handle = serveStdio(
    () => serverWith([...THREAD_TOOLS, ...STORE_TOOLS], { io: quiet(io), output }),
    {
      transport,
      onerror: (error) => void io.stderr.write(`mcp: ${printable(error.message)}\n`),
    },
  );
  const end = await Promise.race([closed, output.overflown]);
  if (end !== "closed") {
    // Nothing is awaited: the problem is a client that does not read.
    await io.stderr.write("mcp: the client does not read its answers; closing the connection\n");
    return ok({ streamed: true, exitCode: EXIT.failure });
  }
  await handle.close();
  return ok({ streamed: true });
}

const NOBODY_THERE = failure(
  "USAGE",
  "mcp talks to a program on stdin, but this is a terminal",
  "have your agent start it, for example: claude mcp add workflow -- uncaged-workflow mcp",
);

function serverWith(
  tools: readonly Tool[],
  { io, output }: { io: Io; output: BoundedOutput },
): McpServer {
  const server = new McpServer(
    { name: "uncaged-workflow", version: cliVersion() },
    { instructions: INSTRUCTIONS },
  );
  for (const { name, description, readOnly, arguments: schema, call } of tools) {
    const annotations = { readOnlyHint: readOnly, openWorldHint: false };
    const inputSchema = unchecked(schema);
    server.registerTool(name, { description, inputSchema, annotations }, async (input, ctx) => {
      const answer = await call(input, { io, signal: ctx.mcpReq.signal });
      output.beforeAnswer();
      const text = answer.ok ? answer.value : JSON.stringify({ error: answer.error });
      return { content: [{ type: "text", text }], isError: !answer.ok };
    });
  }
  return server;
}

const INSTRUCTIONS =
  "Threads are runs of workflows, step by step, each step a role's result. A failed call returns { error: { code, message, hint } }: decide by `code`; `hint` says what to do next.";

/** Shows the schema but accepts everything: the tool itself checks, so that its failure has a code. */
function unchecked(schema: Tool["arguments"]) {
  const standard = schema["~standard"];
  return { "~standard": { ...standard, validate: (value: unknown) => ({ value }) } };
}

/** Tools answer with what they return. */
function quiet(io: Io): Io {
  const sink: Sink = { write: async () => {}, isTerminal: false, color: false, columns: null };
  const stdin: Io["stdin"] = { kind: "none", chunks: () => Readable.from([]) };
  return { ...io, json: true, stdin, stdout: sink, stderr: sink };
}
