import { createHash } from "node:crypto";

/** Number of calls in a row that taught the model nothing, after which it is told so, or its turn is ended. */
const TELL_AFTER = 3;
const END_AFTER = 8;

export type Repetition = {
  /** Records a call and its result. `told`: the model should be told that it goes in circles; `runaway`: it has
   *  been. */
  note(call: { name: string; arguments: string; output: string }): "fresh" | "told" | "runaway";
};

/** Detects a model that goes in circles, whether it repeats one call or cycles through several: every call returns
 *  what the same call returned before. A new call or a new result restarts the count. */
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
