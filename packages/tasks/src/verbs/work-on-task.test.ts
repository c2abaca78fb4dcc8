import type { TaskStore } from "@uncaged/workflow-protocol";
import { memoryTasks } from "@uncaged/workflow-store";
import { expect, test } from "vitest";
import type { TaskCaller } from "../task-desk.ts";
import { beatTask } from "./work-on-task.ts";

const REF = { repository: "/repo/.git", id: "a" };

test("a beat that somebody's end of the task overtakes says what became of it", async () => {
  const { store, desk } = await taskOfMine();
  const overtaken: TaskStore = {
    ...store,
    beat: async (task, beat) => {
      await failed(store);
      return store.beat(task, beat);
    },
  };
  const beat = await beatTask({ ...desk, store: overtaken }, { id: null, progress: null });
  expect(beat).toMatchObject({ ok: false, error: { code: "TRANSITION_INVALID" } });
});

test("a beat of an attempt that is over is refused as one", async () => {
  const { store, desk } = await taskOfMine();
  const next: TaskStore = {
    ...store,
    beat: async (task, beat) => {
      const ended = await failed(store);
      await store.move({ ...moveOf(ended), to: "ASSIGNED", set: { tokenSha256: "another" } });
      return store.beat(task, beat);
    },
  };
  const beat = await beatTask({ ...desk, store: next }, { id: null, progress: null });
  expect(beat).toMatchObject({ ok: false, error: { code: "TASK_LOST" } });
});

async function taskOfMine(): Promise<{
  store: TaskStore;
  desk: TaskCaller & { now: () => number };
}> {
  const store = memoryTasks();
  const names = { branch: "feat/a", integration: "main" };
  await store.add(
    {
      ...REF,
      ...names,
      worktree: "/repo/a",
      description: "",
      tokenSha256: SHA256_OF_T,
      workflow: null,
    },
    { who: null, nowMs: 0 },
  );
  const context = { task: "a", attempt: 1, token: "t", repository: REF.repository, ...names };
  const place = { repository: { commonDir: REF.repository } };
  return { store, desk: { store, place, context, who: null, now: () => 1 } };
}

async function failed(store: TaskStore) {
  const task = await store.get(REF);
  if (task === null) throw new Error("no task");
  const moved = await store.move(moveOf(task));
  if (moved === null) throw new Error("somebody else changed it");
  return moved;
}

const moveOf = (
  task: Parameters<TaskStore["move"]>[0]["task"],
): Parameters<TaskStore["move"]>[0] => ({
  ...{ task, to: "FAILED", set: { note: "enough" }, nowMs: 1 },
  message: { type: "task_failed", who: null, text: null },
});

const SHA256_OF_T = "e3b98a4da31a127d4bde6e43033f66ba274cab0eb7eb1c70ec41402bf6273dd8";
