/** Puts what an agent wants to do to a person, while the agent waits.
 *
 *  1. The question is in the index as long as somebody waits for the answer, and void with the owner's lease: after a
 *     crash nobody can allow what no agent waits for.
 *  2. A step asks one thing at a time, in the order in which it wants to know.
 *  3. Whatever goes wrong is a no. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AskAnswer,
  failureFrom,
  type JsonObject,
  type LeaseRef,
  type Permission,
  type PersonWait,
  type StepGroup,
} from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { placeOf } from "./person-wait.ts";

export type AskPerson = (question: {
  role: string;
  group: StepGroup | undefined;
  message: string;
  timeoutMs: number;
  signal: AbortSignal;
}) => Promise<Permission>;

const LOOK_EVERY_MS = 250;
export const DEFAULT_ASK_MS = 3_600_000;

export function personAsker(
  engine: Pick<Engine, "store" | "now">,
  owner: LeaseRef,
  tell: (wait: PersonWait) => void,
): AskPerson {
  const last = new Map<number, Promise<unknown>>();
  return (question) => {
    const place = question.group?.index ?? -1;
    const asked = (last.get(place) ?? Promise.resolve()).then(() =>
      ask(engine, { owner, tell }, question),
    );
    last.set(place, asked);
    return asked;
  };
}

async function ask(
  { store, now }: Pick<Engine, "store" | "now">,
  { owner: { threadId, fence }, tell }: { owner: LeaseRef; tell: (wait: PersonWait) => void },
  { role, group, message, timeoutMs, signal }: Parameters<AskPerson>[0],
): Promise<Permission> {
  const since = now();
  const deadline = since + timeoutMs;
  // Nothing has to join for a member's answer.
  const place = group === undefined ? {} : placeOf({ ...group, join: "all" });
  const wait: PersonWait = {
    ...{ kind: "person", role, message, form: FORM, route: null, since, deadline },
    ...{ assignees: [], ...place, permission: true },
  };
  const ref = { threadId, fence, ...place };
  try {
    await store.ask({ threadId, fence, wait });
    tell(wait);
    while (!signal.aborted && now() < deadline && (await store.askAnswer(ref)) === null)
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    // Taken out of the index together with the answer: one that came at the last moment counts.
    const answer = await store.withdrawAsk(ref);
    if (answer !== null && !signal.aborted) return permissionBy(answer);
    return { allowed: false, reason: signal.aborted ? "the step has ended" : "nobody answered" };
  } catch (thrown) {
    return { allowed: false, reason: failureFrom(thrown, "STORAGE_FAILED").message };
  }
}

const FORM: JsonObject = {
  type: "object",
  properties: {
    allow: { type: "boolean", description: "May it do that?" },
    reason: { type: "string", description: "what the agent is told" },
  },
  required: ["allow"],
  additionalProperties: false,
};

function permissionBy({ meta, user }: AskAnswer): Permission {
  const allowed = meta.allow === true;
  const why = typeof meta.reason === "string" && meta.reason !== "" ? `: ${meta.reason}` : "";
  return { allowed, reason: `${allowed ? "allowed" : "refused"} by ${user}${why}` };
}
