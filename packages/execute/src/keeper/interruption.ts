import type { SignalKind } from "@uncaged/workflow-protocol";

/** Why a run was asked to end early. */
export type Interruption = "stop" | "kill" | "lease-lost";

/** What the waiting signals ask of a run at once; `kill` outweighs `stop`. */
export function urgent(signals: readonly SignalKind[]): Interruption | null {
  if (signals.includes("kill")) return "kill";
  return signals.includes("stop") ? "stop" : null;
}
