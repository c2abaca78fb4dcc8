/** Which providers have turned us away, and until when nobody calls them. One that has ended does not count, and is deleted
 *  with the next one. */
import { type Dispatch, type Hold, parseJson } from "@uncaged/workflow-protocol";
import { all, change, changing, type Deed, type Operation, reading, timed } from "./operation.ts";
import { integerOf, textOf } from "./thread-columns.ts";

export function hold(request: Parameters<Dispatch["hold"]>[0]): Deed<void> {
  const { key, agents } = request;
  return changing(`hold ${key}`, function* () {
    const { nowMs } = yield* timed(request);
    const untilMs = Math.ceil(nowMs + request.untilMs - request.nowMs);
    yield* change("DELETE FROM holds WHERE untilMs <= :nowMs", { nowMs });
    yield* change(HOLD, { key, agents: JSON.stringify(agents), untilMs });
  });
}

export function readHolds(askedMs: number): Deed<Hold[]> {
  return reading("read which providers ask to be left alone", function* () {
    const { nowMs } = yield* timed({ nowMs: askedMs });
    return yield* holdsAt(nowMs);
  });
}

export function* holdsAt(nowMs: number): Operation<Hold[]> {
  return (yield* all(HOLDS, { nowMs })).flatMap((row) => {
    const key = textOf(row, "key");
    const agents = parseJson(textOf(row, "agents"));
    // Another program may have written there.
    if (!isHoldKey(key) || !Array.isArray(agents)) return [];
    const named = agents.filter((agent) => typeof agent === "string");
    return [{ key, agents: named, untilMs: integerOf(row, "untilMs") }];
  });
}

function isHoldKey(key: string): key is Hold["key"] {
  return key.startsWith("agent:") || key.startsWith("provider:");
}

const HOLDS = "SELECT key, agents, untilMs FROM holds WHERE untilMs > :nowMs ORDER BY key";

const HOLD = `
  INSERT INTO holds VALUES (:key, :agents, :untilMs)
  ON CONFLICT (key) DO UPDATE SET agents = :agents, untilMs = :untilMs
  WHERE holds.untilMs < :untilMs`;
