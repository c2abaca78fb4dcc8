import type { Io } from "./io.ts";

/** Whether there is a person to ask. */
export function isAtTerminal({ stdin, stderr }: Pick<Io, "stdin" | "stderr">): boolean {
  return stdin.kind === "terminal" && stderr.isTerminal;
}
