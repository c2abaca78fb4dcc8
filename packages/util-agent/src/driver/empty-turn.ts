import type { TurnResult } from "./agent-driver.ts";

/** A turn that finished and returned nothing: a driver spreads it to leave out what it does not know. */
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
