/** Codex puts the tools of a server into a namespace, which the model server does not know: it sees them as plain tools with
 *  the namespace before their names. This stands in front of it and translates, for calls that have such tools; everything
 *  else passes as it is. */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

type Tool = { type: string; name: string; tools?: Tool[] };
type Item = { type: string; name?: string; namespace?: string };
type Body = { tools?: Tool[]; input?: Item[] };

/** `behind`: the server's address. Returns the address to call instead. */
export async function flatTools(behind: string): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((asked, answer) => {
    void pass(behind, asked, answer).catch(() => answer.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function pass(behind: string, asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  const { text, spaces } = flattened(await textOf(asked));
  const headers = { ...asked.headers, "content-length": String(Buffer.byteLength(text)) };
  delete headers["transfer-encoding"];
  const { method = "GET", url = "/" } = asked;
  const call = request(`${behind}${url}`, { method, headers }, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    // A reply that breaks off breaks off here, too.
    reply.once("aborted", () => answer.destroy());
    reply.once("error", () => answer.destroy());
    if (spaces.size === 0) {
      reply.pipe(answer);
      return;
    }
    const lines = createInterface({ input: reply });
    lines.on("line", (line) => answer.write(`${inNamespaces(line, spaces)}\n`));
    lines.once("close", () => answer.end());
  });
  call.once("error", () => answer.destroy());
  answer.once("close", () => call.destroy());
  call.end(text);
}

async function textOf(asked: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** `spaces`: namespace and name, by the flat name. */
function flattened(text: string): { text: string; spaces: ReadonlyMap<string, [string, string]> } {
  const spaces = new Map<string, [string, string]>();
  if (!text.includes('"namespace"')) return { text, spaces };
  const body: Body = JSON.parse(text);
  const tools = (body.tools ?? []).flatMap((tool) => {
    if (tool.type !== "namespace") return [tool];
    return (tool.tools ?? []).map((each) => {
      const name = `${tool.name}__${each.name}`;
      spaces.set(name, [tool.name, each.name]);
      return { ...each, name };
    });
  });
  const input = (body.input ?? []).map(({ namespace, ...item }) =>
    namespace === undefined ? item : { ...item, name: `${namespace}__${item.name}` },
  );
  return { text: JSON.stringify({ ...body, tools, input }), spaces };
}

function inNamespaces(line: string, spaces: ReadonlyMap<string, [string, string]>): string {
  let said = line;
  for (const [flat, [namespace, name]] of spaces)
    said = said.replaceAll(`"name":"${flat}"`, `"namespace":"${namespace}","name":"${name}"`);
  return said;
}
