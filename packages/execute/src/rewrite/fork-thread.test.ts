import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampleRoot } from "../provenance/sample-root.test.helper.ts";
import { forkThread } from "./fork-thread.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fork-thread-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const HERE = {
  from: { kind: "step", step: 1 },
  ...{ agent: null, limits: null, bundle: null, prompt: null },
  files: "as known",
  run: "idle",
  startKey: "k",
} as const;

describe("a fork with a start key", () => {
  it("is made once, and another request with that key is refused", async () => {
    const { engine, thread } = await sampleRoot(folder);
    const first = await forkThread(engine, thread, HERE);
    if (!first.ok) throw new Error(first.error.message);
    const { threadId } = first.value.thread;
    const again = await forkThread(engine, thread, HERE);
    expect(again).toMatchObject({
      value: { thread: { threadId }, forkedFrom: first.value.forkedFrom },
    });
    expect(await engine.store.list({})).toHaveLength(2);
    for (const other of [{ from: { kind: "step", step: 2 } as const }, { agent: "codex" }])
      expect(await forkThread(engine, thread, { ...HERE, ...other })).toMatchObject({
        ok: false,
        error: { code: "TARGET_EXISTS" },
      });
    const anew = await forkThread(engine, thread, { ...HERE, startKey: null });
    expect(anew).toMatchObject({ ok: true });
    expect(await engine.store.list({})).toHaveLength(3);
  });

  it("that somebody else makes at the same moment is theirs", async () => {
    const { engine, thread } = await sampleRoot(folder);
    const first = await forkThread(engine, thread, HERE);
    if (!first.ok) throw new Error(first.error.message);
    const store = { ...engine.store, startedWith: async () => null };
    const second = await forkThread({ ...engine, store }, thread, HERE);
    expect(second).toMatchObject({
      value: { thread: { threadId: first.value.thread.threadId } },
    });
    expect(await engine.store.list({})).toHaveLength(2);
  });
});
