import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acquire } from "../lease/acquire.ts";
import { type SampleRoot, STEPS, sampleRoot } from "../provenance/sample-root.test.helper.ts";
import { pauseThread } from "../steer/pause-thread.ts";
import { pokeThread } from "./poke-thread.ts";
import { undoPoke } from "./undo-poke.ts";

let folder = "";
let made: SampleRoot & { thread: ThreadRecord };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "undo-poke-"));
  made = await sampleRoot(folder, STEPS);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const signal = new AbortController().signal;
const current = async (): Promise<ThreadRecord> => {
  const thread = await made.engine.store.get(made.thread.threadId);
  if (thread === null) throw new Error("the thread is gone");
  return thread;
};

/** The thread after a poke: its head replaced another one. */
async function poked(): Promise<ThreadRecord> {
  const { engine, thread } = made;
  const { threadId, head, startHash, headSha256 } = thread;
  const { fence } = await acquire(engine, threadId, null);
  const owner = { threadId, fence, nowMs: engine.now() };
  const move = { from: head, to: startHash, toSha256: headSha256 };
  await engine.store.advance({ ...owner, ...move, kind: "replace" });
  await engine.store.release({ ...owner, to: { status: "idle" } });
  return current();
}

describe("undoing a poke", () => {
  it("brings the replaced step back, and remembers the other one", async () => {
    const before = await poked();
    const undone = await undoPoke(made.engine, before, signal);
    expect(undone).toMatchObject({
      ok: true,
      value: { head: made.thread.head, previousHead: before.head, status: "idle" },
    });
    expect(await current()).toMatchObject({
      head: made.thread.head,
      replaced: { head: before.head },
    });
  });

  it("leaves a thread that stands at its limit again waiting for a higher one", async () => {
    made = await sampleRoot(folder, STEPS.slice(0, 1));
    const { engine, thread } = made;
    await engine.store.raise({ threadId: thread.threadId, limits: { steps: 1 }, nowMs: 1 });
    const undone = await undoPoke(engine, await poked(), signal);
    expect(undone).toMatchObject({ ok: true, value: { status: "suspended" } });
    const waits = [{ role: "coder", kind: "limit", limit: { bound: "steps", limit: 1, used: 1 } }];
    expect(await current()).toMatchObject({ status: "suspended", waits });
  });

  it("of a thread that is paused leaves it paused when it cannot be done", async () => {
    const paused = await pauseThread(made.engine, await poked());
    if (!paused.ok) throw new Error(paused.error.message);
    made.blobs.delete(made.thread.head);
    const refused = await undoPoke(made.engine, paused.value, signal);
    expect(refused).toMatchObject({ ok: false, error: { code: "CAS_MISSING" } });
    const { head } = paused.value;
    expect(await current()).toMatchObject({ head, status: "paused", signals: ["pause"] });
  });

  it("opens the gate of a thread that was paused before", async () => {
    const paused = await pauseThread(made.engine, await poked());
    if (!paused.ok) throw new Error(paused.error.message);
    const undone = await undoPoke(made.engine, paused.value, signal);
    expect(undone).toMatchObject({ ok: true, value: { status: "idle" } });
    expect(await current()).toMatchObject({ status: "idle", signals: [] });
  });

  it("leaves a gate closed that is closed meanwhile", async () => {
    const before = await poked();
    const { engine } = made;
    const get = async (hash: string): Promise<string | null> => {
      await pauseThread(engine, await current());
      return engine.cas.get(hash);
    };
    const cas = { ...engine.cas, get };
    const undone = await undoPoke({ ...engine, cas }, before, signal);
    expect(undone).toMatchObject({ ok: true, value: { status: "paused" } });
    expect(await current()).toMatchObject({ status: "paused", signals: ["pause"] });
  });

  it("releases the thread also when its gate is opened meanwhile", async () => {
    const paused = await pauseThread(made.engine, await poked());
    if (!paused.ok) throw new Error(paused.error.message);
    const { engine } = made;
    const cas = {
      ...engine.cas,
      get: async () => {
        await engine.store.clearSignal(paused.value.threadId, "pause");
        return null;
      },
    };
    await undoPoke({ ...engine, cas }, paused.value, signal);
    expect(await current()).toMatchObject({ status: "idle" });
  });
});

describe("an answer that comes while a poke begins", () => {
  it("is kept, and no question is put in its place, when the poke fails", async () => {
    const { engine, thread } = made;
    const { threadId } = thread;
    const { fence } = await acquire(engine, threadId, null);
    const question = { role: "tester", message: "Which one?" };
    await engine.store.release({
      ...{ threadId, fence, nowMs: engine.now() },
      to: { status: "suspended", waits: [question] },
    });
    const asked = await current();
    await engine.store.answer({ threadId, text: "the first", nowMs: engine.now() });
    const opts = { prompt: "once more", agent: null, keepFiles: false, signal };
    expect(await pokeThread(engine, asked, opts)).toMatchObject({ ok: false });
    expect(await current()).toMatchObject({
      status: "idle",
      pendingInput: { kind: "answer", role: "tester", text: "the first" },
    });
  });
});

describe("a poke that fails", () => {
  it("leaves a paused thread paused", async () => {
    const paused = await pauseThread(made.engine, made.thread);
    if (!paused.ok) throw new Error(paused.error.message);
    const opts = { prompt: "once more", agent: null, keepFiles: false, signal };
    // The sample's bundle ends at once instead of running a role.
    expect(await pokeThread(made.engine, paused.value, opts)).toMatchObject({ ok: false });
    expect(await current()).toMatchObject({ status: "paused", head: made.thread.head });
  });
});
