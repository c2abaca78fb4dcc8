/** Connects this root's engine to a gateway elsewhere, for as long as it runs. */
import { connectEngine, type EngineState } from "@uncaged/workflow-gateway";
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { cliVersion } from "../command/cli-version.ts";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { usageError } from "../command/options.ts";
import { printableLine } from "../terminal/printable.ts";
import { duration } from "../terminal/times.ts";
import type { Allowed } from "./allow-option.ts";
import { refusedInStep } from "./refused-in-step.ts";
import { withEngineApi } from "./serve-engine.ts";

export type ConnectOptions = {
  /** Null: the name that the token is for. */
  name: string | null;
  /** Null: `UNCAGED_GATEWAY`. */
  gateway: string | null;
  allow: readonly Allowed[];
};

/** Until it is interrupted, or refused for good. With `--json`, one line for each change of state. */
export async function connect(
  { name, gateway, allow }: ConnectOptions,
  io: Io,
): Promise<Result<Output, Failure>> {
  const refused = refusedInStep(io);
  if (refused !== null) return refused;
  const origin = originOf(gateway ?? io.env.UNCAGED_GATEWAY ?? "");
  // In the environment: arguments are shown to everybody on the machine.
  const token = io.env.UNCAGED_GATEWAY_TOKEN ?? "";
  if (!/^[\w-]{20,100}$/.test(token))
    throw usageError(
      "UNCAGED_GATEWAY_TOKEN has no token",
      "set it to what was printed by: uncaged-workflow gateway token add <name> --engine",
    );
  const signal = io.interruption();
  let end: Failure | null = null;
  await withEngineApi(allow, io, (handler) =>
    connectEngine({
      ...{ gateway: origin, token, name, version: cliVersion(), allow, handler, signal },
      onState: (state) => {
        if (state.state === "refused") end = state.failure;
        void io.stdout.write(
          io.json ? `${JSON.stringify(state)}\n` : `${inWords(state, origin)}\n`,
        );
      },
    }),
  );
  return end === null ? ok({ streamed: true }) : err(end);
}

function inWords(state: EngineState, origin: string): string {
  switch (state.state) {
    case "connecting":
      return `connecting to ${origin}`;
    case "connected":
      return "connected; Ctrl-C ends it, threads go on";
    case "waiting":
      return `not connected: ${printableLine(state.why, 200)}; again in ${duration(state.retryInMs)}`;
    case "refused":
      return "refused";
  }
}

function originOf(text: string): string {
  if (/^https:\/\/[a-z0-9.-]+(:\d{1,5})?\/?$/i.test(text)) return text.replace(/\/$/, "");
  if (/^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?\/?$/i.test(text))
    return text.replace(/\/$/, "");
  throw usageError(
    text === "" ? "no gateway is named" : `${JSON.stringify(text)} is no address of a gateway`,
    "give --gateway https://…, or set UNCAGED_GATEWAY; http is for this machine only",
  );
}
