import assert from "node:assert/strict";
import type { NewTask, Task, TaskMove, TaskStore } from "@uncaged/workflow-protocol";
import { failureFrom } from "@uncaged/workflow-protocol";

/** One promise of the port. `run` rejects when the store breaks it. */
export type TaskCase = {
  /** A sentence about behaviour. */
  name: string;
  /** Needs a fresh, empty store each time. */
  run(tasks: TaskStore): Promise<void>;
};

/** The contract of `TaskStore`, as cases for any test runner. */
export const taskCases: readonly TaskCase[] = [
  {
    name: "keeps a task as it was given, once for each id of a repository",
    async run(tasks) {
      const by = { who: "ada", nowMs: 5 };
      const both = await Promise.all([
        tasks.add(sampleTask("a"), by),
        tasks.add(sampleTask("a"), by),
      ]);
      assert.deepEqual(both.toSorted(), [false, true]);
      assert.equal(await tasks.add({ ...sampleTask("a"), repository: "/other" }, by), true);
      assert.equal(await tasks.add(sampleTask("b"), { ...by, nowMs: 4 }), true);
      assert.deepEqual(
        (await tasks.list("/repo")).map(({ id }) => id),
        ["b", "a"],
      );
      assert.equal((await tasks.list(null)).length, 3);
      assert.equal(await tasks.get({ repository: "/repo", id: "c" }), null);
      const task = await read(tasks, "a");
      assert.deepEqual(task, {
        ...sampleTask("a"),
        ...{ state: "ASSIGNED", revision: 1, attempt: 1, who: null, workers: [], head: null },
        ...{ merged: null, note: null, assignedAt: 5, changedAt: 5, heartbeatAt: null },
        ...{ progress: null, thread: null },
      });
      const [message] = await tasks.messages({ repository: "/other", after: 0, limit: 9 });
      assert.deepEqual(message, {
        ...{ seq: message?.seq, repository: "/other", id: "a", type: "task_assign", attempt: 1 },
        ...{ from: null, to: "ASSIGNED", at: 5, who: "ada", text: "what to do" },
      });
    },
  },
  {
    name: "of two who change what they both read, one does, and says so once",
    async run(tasks) {
      await tasks.add(sampleTask("a"), { who: null, nowMs: 1 });
      const task = await read(tasks, "a");
      const moves = await Promise.all([
        tasks.move(move(task, "WORKING", { set: { who: "ada" } })),
        tasks.move(move(task, "FAILED")),
      ]);
      assert.equal(moves.filter((each) => each !== null).length, 1);
      assert.equal(await tasks.move(move(task, "FAILED")), null);
      const [, ...more] = await tasks.messages({ repository: null, after: 0, limit: 9 });
      assert.equal(more.length, 1);
      const [moved] = moves.filter((each) => each !== null);
      assert.deepEqual(await read(tasks, "a"), moved);
    },
  },
  {
    name: "refuses what the table does not allow, and says nothing",
    async run(tasks) {
      await tasks.add(sampleTask("a"), { who: null, nowMs: 1 });
      const refusal = await tasks
        .move(move(await read(tasks, "a"), "COMPLETED"))
        .catch((thrown: unknown) => failureFrom(thrown, "INTERNAL").code);
      assert.equal(refusal, "TRANSITION_INVALID");
      assert.equal((await tasks.messages({ repository: null, after: 0, limit: 9 })).length, 1);
    },
  },
  {
    name: "a retry is the next attempt, with the workers of those before",
    async run(tasks) {
      await tasks.add(sampleTask("a"), { who: null, nowMs: 1 });
      await step(tasks, "WORKING", { set: { who: "ada" } });
      assert.equal(await tasks.beat({ ...REF, attempt: 1 }, BEAT), true);
      await step(tasks, "FAILED", { set: { note: "broke" } });
      assert.equal(await tasks.beat({ ...REF, attempt: 1 }, BEAT), false);
      const again = await step(tasks, "ASSIGNED", { set: { tokenSha256: "22" }, nowMs: 9 });
      assert.deepEqual(
        [again.attempt, again.who, again.note, again.heartbeatAt, again.assignedAt],
        [2, null, null, null, 9],
      );
      assert.deepEqual([again.workers, again.tokenSha256], [["ada"], "22"]);
      assert.deepEqual(await read(tasks, "a"), again);
      assert.equal(await tasks.beat({ ...REF, attempt: 1 }, BEAT), false);
      const both = await step(tasks, "WORKING", { set: { who: "bob" } });
      assert.deepEqual(both.workers, ["ada", "bob"]);
    },
  },
  {
    name: "a heartbeat is no change that others would miss, and the bus has the last one",
    async run(tasks) {
      await tasks.add(sampleTask("a"), { who: null, nowMs: 1 });
      const task = await read(tasks, "a");
      assert.equal(await tasks.beat(task, BEAT), true);
      assert.equal(await tasks.beat(task, { ...BEAT, nowMs: 8, progress: null }), true);
      const moved = await tasks.move(move(task, "WORKING"));
      assert.ok(moved !== null);
      const found = await read(tasks, "a");
      assert.deepEqual([found.heartbeatAt, found.progress, found.state], [8, 0.5, "WORKING"]);
      const all = await tasks.messages({ repository: "/repo", after: 0, limit: 9 });
      assert.deepEqual(
        all.map(({ type, at, text }) => [type, at, text]),
        [
          ["task_assign", 1, "what to do"],
          ["heartbeat", 8, "0.5"],
          ["state_change", 3, "said"],
        ],
      );
      const [first, second] = all;
      const rest = { repository: null, after: first?.seq ?? 0, limit: 1 };
      assert.deepEqual(await tasks.messages(rest), [second]);
    },
  },
  {
    name: "a token is replaced only in what was read",
    async run(tasks) {
      await tasks.add(sampleTask("a"), { who: null, nowMs: 1 });
      const task = await read(tasks, "a");
      assert.equal(await tasks.amend(task, { tokenSha256: "99" }), true);
      assert.equal(await tasks.amend(task, { tokenSha256: "98" }), false);
      assert.equal((await read(tasks, "a")).tokenSha256, "99");
      assert.equal(await tasks.move(move(task, "WORKING")), null);
    },
  },
  {
    name: "a task has a thread until it is sent back or given out again",
    async run(tasks) {
      await tasks.add({ ...sampleTask("a"), workflow: "develop" }, { who: null, nowMs: 1 });
      assert.equal(await tasks.amend(await read(tasks, "a"), { thread: "T1" }), true);
      for (const to of ["WORKING", "IN_REVIEW"] as const)
        assert.equal((await step(tasks, to, {})).thread, "T1");
      assert.equal((await step(tasks, "WORKING", {})).thread, null);
      assert.equal(await tasks.amend(await read(tasks, "a"), { thread: "T2" }), true);
      assert.equal((await step(tasks, "FAILED", {})).thread, "T2");
      const again = await step(tasks, "ASSIGNED", {});
      assert.deepEqual([again.thread, again.workflow, again.tokenSha256], [null, "develop", "11"]);
      assert.deepEqual(await read(tasks, "a"), again);
    },
  },
];

const REF = { repository: "/repo", id: "a" };
const BEAT = { nowMs: 7, progress: 0.5, who: "ada" };

export function sampleTask(id: string): NewTask {
  return {
    ...{ repository: "/repo", id, branch: `feat/${id}`, worktree: `/repo/worktrees/${id}` },
    ...{ description: "what to do", integration: "main", tokenSha256: "11" },
    workflow: null,
  };
}

async function read(tasks: TaskStore, id: string): Promise<Task> {
  const task = await tasks.get({ repository: "/repo", id });
  assert.ok(task !== null);
  return task;
}

async function step(
  tasks: TaskStore,
  to: Task["state"],
  more: Partial<Pick<TaskMove, "set" | "nowMs">>,
): Promise<Task> {
  const moved = await tasks.move(move(await read(tasks, "a"), to, more));
  assert.ok(moved !== null);
  return moved;
}

function move(
  task: Task,
  to: Task["state"],
  more: Partial<Pick<TaskMove, "set" | "nowMs">> = {},
): TaskMove {
  const message = { type: "state_change", who: "ada", text: "said" } as const;
  return { task, to, set: {}, message, nowMs: 3, ...more };
}
