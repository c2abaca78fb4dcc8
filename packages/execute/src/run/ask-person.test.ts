import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LiveEvent, leaseOf } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OwnedThread, ownedThread } from "../testing/leased-thread.test.helper.ts";
import { type AskPerson, personAsker } from "./ask-person.ts";
import { tellAsked } from "./tell-asked.ts";

let root = "";
let owned: OwnedThread;
let asker: AskPerson;
let told: LiveEvent[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "ask-"));
  owned = await ownedThread(root);
  const lease = leaseOf(await owned.record());
  const { threadId } = owned;
  told = [];
  asker = personAsker(
    owned.engine,
    { threadId, fence: lease?.fence ?? 0 },
    tellAsked(threadId, (event) => told.push(event)),
  );
});
afterEach(() => rm(root, { recursive: true, force: true }));

const question = {
  ...{ role: "coder", group: undefined, message: "May I?", timeoutMs: 60_000 },
  signal: new AbortController().signal,
};
const open = () => owned.engine.store.asks({});

/** The first that is asked, once something is. */
async function asked(): Promise<Awaited<ReturnType<typeof open>>[number]> {
  for (;;) {
    const [first] = await open();
    if (first !== undefined) return first;
    await new Promise(setImmediate);
  }
}

test("a person who answers decides, and says why", async () => {
  const decided = asker(question);
  const ask = await asked();
  expect(ask.wait).toMatchObject({ role: "coder", message: "May I?", permission: true });
  const { threadId } = owned;
  const timestamp = ask.wait.since;
  expect(told).toEqual([{ threadId, timestamp, type: "asked", role: "coder", message: "May I?" }]);
  const answer = { meta: { allow: false, reason: "not on Fridays" }, user: "alice", at: 7 };
  await owned.engine.store.answerAsk({ ...ask, answer });
  expect(await decided).toEqual({ allowed: false, reason: "refused by alice: not on Fridays" });
  expect(await open()).toEqual([]);
});

test("a step asks one thing at a time, and members of a group each their own", async () => {
  const group = (index: number) => ({ name: "all", entry: 0, index, of: 2 });
  const first = asker(question);
  const second = asker({ ...question, message: "And that?" });
  const member = asker({ ...question, message: "And I?", group: group(1) });
  await asked();
  while ((await open()).length < 2) await new Promise(setImmediate);
  const words = async () => (await open()).map(({ wait }) => wait.message).sort();
  expect(await words()).toEqual(["And I?", "May I?"]);
  const yes = { meta: { allow: true }, user: "alice", at: 7 };
  for (const ask of await open()) await owned.engine.store.answerAsk({ ...ask, answer: yes });
  expect(await Promise.all([first, member])).toEqual([
    { allowed: true, reason: "allowed by alice" },
    { allowed: true, reason: "allowed by alice" },
  ]);
  expect((await asked()).wait.message).toBe("And that?");
  await owned.engine.store.answerAsk({ ...(await asked()), answer: yes });
  expect(await second).toMatchObject({ allowed: true });
});

test("a question that nobody answers in time is refused and withdrawn", async () => {
  const decided = await asker({ ...question, timeoutMs: 1 });
  expect(decided).toEqual({ allowed: false, reason: "nobody answered" });
  expect(await open()).toEqual([]);
});

test("a step that ends waits no longer", async () => {
  const ending = new AbortController();
  const decided = asker({ ...question, signal: ending.signal });
  await asked();
  ending.abort();
  expect(await decided).toEqual({ allowed: false, reason: "the step has ended" });
  expect(await open()).toEqual([]);
});

test("an owner that has lost its thread is told no", async () => {
  await owned.loseLease();
  expect(await asker(question)).toMatchObject({ allowed: false });
});
