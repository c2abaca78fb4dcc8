import type { TurnResult } from "./agent-driver.ts";

/** A turn that came to its end and gave nothing: what a driver does not know it need not say. */
export const EMPTY_TURN: TurnResult = {
  outcome: "ok",
  reason: "",
  sessionLost: false,
  session: null,
  text: "",
  structured: undefined,
  usage: null,
  rawUsage: null,
  denials: 0,
};
