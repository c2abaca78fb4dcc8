/** Which providers have turned us away, and until when nobody calls them. One that has ended does not count, and is deleted
 *  with the next one. */
import { type Dispatch, type Hold, parseJson } from "@uncaged/workflow-protocol";
import { integerOf, textOf } from "./thread-columns.ts";
import type { ThreadIndex } from "./thread-index.ts";

export function hold(index: ThreadIndex, request: Parameters<Dispatch["hold"]>[0]): void {
  const { key, agents, untilMs, nowMs } = request;
  index.transaction(`hold ${key}`, () => {
    index.sql("DELETE FROM holds WHERE untilMs <= :nowMs").run({ nowMs });
    index.sql(HOLD).run({ key, agents: JSON.stringify(agents), untilMs: Math.ceil(untilMs) });
  });
}

export function holdsAt(index: ThreadIndex, nowMs: number): Hold[] {
  return index.read("read which providers ask to be left alone", () =>
    index
      .sql("SELECT key, agents, untilMs FROM holds WHERE untilMs > :nowMs ORDER BY key")
      .all({ nowMs })
      .flatMap((row) => {
        const key = textOf(row, "key");
        const agents = parseJson(textOf(row, "agents"));
        // Another program may have written there.
        if (!isHoldKey(key) || !Array.isArray(agents)) return [];
        const named = agents.filter((agent) => typeof agent === "string");
        return [{ key, agents: named, untilMs: integerOf(row, "untilMs") }];
      }),
  );
}

function isHoldKey(key: string): key is Hold["key"] {
  return key.startsWith("agent:") || key.startsWith("provider:");
}

const HOLD = `
  INSERT INTO holds VALUES (:key, :agents, :untilMs)
  ON CONFLICT DO UPDATE SET agents = :agents, untilMs = :untilMs WHERE untilMs < :untilMs`;
