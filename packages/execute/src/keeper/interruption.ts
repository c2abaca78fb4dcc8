import type { SignalKind } from "@uncaged/workflow-protocol";

/** Why a run was asked to end early. */
export type Interruption = "stop" | "kill" | "lease-lost";

/** What the pending signals demand of a run immediately; `kill` outweighs `stop`. */
export function urgent(signals: readonly SignalKind[]): Interruption | null {
  if (signals.includes("kill")) return "kill";
  return signals.includes("stop") ? "stop" : null;
}
