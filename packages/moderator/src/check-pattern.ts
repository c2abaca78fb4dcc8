import { type Failure, failure } from "@uncaged/workflow-protocol";
import { RE2JS } from "re2js";

/** Checks a regular expression that is matched against what an agent did, with the engine that matches it:
 *  see docs/decisions/0009-regexes-of-rules-are-linear.md. Null when it may be used. */
export function checkPattern(pattern: string): Failure | null {
  if (pattern === "") {
    const hint = "write what has to match, or `.*` for anything";
    return failure("RULE_INVALID", "an empty pattern matches everything", hint);
  }
  try {
    RE2JS.compile(RE2JS.translateRegExp(pattern));
    return null;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    const message = `/${pattern}/ is not a regular expression that can be matched in linear time: ${why}`;
    return failure(
      "RULE_INVALID",
      message,
      "correct it; look-around and back references are not supported",
    );
  }
}
