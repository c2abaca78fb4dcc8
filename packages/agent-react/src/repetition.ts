import { createHash } from "node:crypto";

/** Calls in a row that taught the model nothing, before it is told so, and before its turn is ended. */
const TELL_AFTER = 3;
const END_AFTER = 8;

export type Repetition = {
  /** Notes a call and what it gave. `told`: the model should hear that it goes in circles; `runaway`: it did. */
  note(call: { name: string; arguments: string; output: string }): "fresh" | "told" | "runaway";
};

/** Knows a model that goes in circles, whether it makes one call again and again or several in turn: every call
 *  gives what the same call gave before. A call or a result that is new begins the count again. */
export function repetition(): Repetition {
  const seen = new Set<string>();
  let idle = 0;
  return {
    note(call) {
      const key = createHash("sha256")
        .update(JSON.stringify([call.name, call.arguments, call.output]))
        .digest("base64");
      idle = seen.has(key) ? idle + 1 : 0;
      seen.add(key);
      if (idle >= END_AFTER) return "runaway";
      return idle >= TELL_AFTER ? "told" : "fresh";
    },
  };
}
