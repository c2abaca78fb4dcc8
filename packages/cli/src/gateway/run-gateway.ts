/** A gateway for engines of other machines. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { startGateway } from "@uncaged/workflow-gateway";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { usageError } from "../command/options.ts";
import { writeText } from "../command/write-text.ts";
import { gatewayFiles, served } from "./gateway-files.ts";
import { refusedInStep } from "./refused-in-step.ts";

export type RunGateway = {
  host: string;
  port: number;
  publicOrigin: string | null;
  tlsCert: string | null;
  tlsKey: string | null;
};

/** Runs until it is interrupted. With `--json`, the first document says where it is, and one follows for each client
 *  that comes or goes. */
export async function runGateway(opts: RunGateway, io: Io): Promise<Result<Output, Failure>> {
  const refused = refusedInStep(io);
  if (refused !== null) return refused;
  const signal = io.interruption();
  const say = (document: object, words: string): Promise<void> =>
    writeText(io.stdout, io.json ? `${JSON.stringify(document)}\n` : `${words}\n`);
  const gateway = await startGateway({
    ...{ host: opts.host, port: opts.port, publicOrigin: opts.publicOrigin, tls: tlsOf(opts, io) },
    files: gatewayFiles(io),
    ...served(),
    onClient: ({ name, state }) => void say({ client: name, state }, `${name}: ${state}`),
  });
  if (!gateway.ok) return gateway;
  const { origin, port, close } = gateway.value;
  await say({ origin, port }, `the gateway is at ${origin}; Ctrl-C ends it`);
  if (!signal.aborted) {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    // A signal alone keeps no process alive.
    const alive = setInterval(() => undefined, 60_000);
    signal.addEventListener("abort", () => end(), { once: true });
    await promise;
    clearInterval(alive);
  }
  await close();
  return ok({ streamed: true });
}

function tlsOf({ tlsCert, tlsKey }: RunGateway, { cwd }: Io): { key: string; cert: string } | null {
  if (tlsCert === null && tlsKey === null) return null;
  if (tlsCert === null || tlsKey === null)
    throw usageError("--tls-cert and --tls-key belong together");
  const read = (file: string): string => {
    try {
      return readFileSync(resolve(cwd, file), "utf8");
    } catch {
      throw usageError(`${JSON.stringify(file)} cannot be read`, "give a file in PEM");
    }
  };
  return { cert: read(tlsCert), key: read(tlsKey) };
}
