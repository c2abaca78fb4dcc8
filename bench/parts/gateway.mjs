/** A gateway with one engine's token and one person's. As a process of its own (`fork`), it sends where it is, then the
 *  bytes of its memory, twenty times a second, until it is killed. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { passingToken, startGateway } from "@uncaged/workflow-gateway";

const TELL_EVERY_MS = 50;

export async function gatewayIn(folder) {
  mkdirSync(folder, { recursive: true });
  const now = Date.now();
  const engine = passingToken({ name: "e", scopes: ["engine"], clients: ["e"] }, now);
  const person = passingToken({ name: "p", scopes: ["read"], clients: ["e"] }, now);
  const files = Object.fromEntries(
    ["tokens", "sessions", "audit"].map((name) => [name, join(folder, name)]),
  );
  const started = await startGateway({
    ...{ host: "127.0.0.1", port: 0, publicOrigin: null, tls: null, files },
    extraTokens: [engine.row, person.row],
    ...{ page: folder, openApi: "{}", limits: { stalledMs: 600_000, sockets: 2_000 } },
  });
  if (!started.ok) throw new Error(started.error.message);
  const { origin, port, close } = started.value;
  return { origin, port, tokens: { engine: engine.token, person: person.token }, close };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { origin, port, tokens } = await gatewayIn(process.argv[2]);
  process.send({ origin, port, tokens });
  setInterval(() => process.send({ rss: process.memoryUsage.rss() }), TELL_EVERY_MS);
}
