/** What a step in a sandbox may do to tasks, whatever its programs send. */
import { sha256Hex } from "@uncaged/workflow-cas";
import {
  canMoveTask,
  type StepTaskAnswer,
  TASK_MESSAGES,
  TASK_STATES,
  type Task,
  type TaskMessageType,
  type TaskMove,
  type TaskState,
  type TaskStore,
} from "@uncaged/workflow-protocol";
import { memoryTasks } from "@uncaged/workflow-store";
import { beforeEach, describe, expect, it } from "vitest";
import { askStepTasks, type TasksOfStep } from "./step-tasks.ts";

const REPOSITORY = "/repo/.git";
const THREAD = "01JABCDEFGHJKMNPQRSTVWXYZ0";
const TOKEN = "of attempt 1";
const REF = { repository: REPOSITORY, id: "a" };

let store: TaskStore;
const newTask = async (): Promise<void> => {
  store = memoryTasks();
  const names = { branch: "feat/a", worktree: "/repo/a", integration: "main", description: "" };
  const task = { ...REF, ...names, tokenSha256: sha256Hex(TOKEN), workflow: null };
  await store.add(task, { who: null, nowMs: 0 });
};
beforeEach(newTask);

const step = (more: Partial<TasksOfStep> = {}): TasksOfStep => ({
  open: () => Promise.resolve({ ...store, close: () => Promise.resolve() }),
  repository: REPOSITORY,
  threadId: THREAD,
  mayReview: false,
  now: () => 1,
  ...more,
});

type Caller = { step: TasksOfStep; token: string | null };
const AGENT: Caller = { step: step(), token: TOKEN };
const REVIEWER: Caller = { step: step({ mayReview: true }), token: null };

type Sent = Pick<TaskMove, "to" | "set"> & { type: TaskMessageType };

async function move(caller: Caller, { to, set, type }: Sent): Promise<Task | string | null> {
  const task = await current();
  const message = { type, who: "whoever", text: "said" };
  const { revision } = task;
  const request = { op: "move", ...REF, revision, token: caller.token, to, set, message } as const;
  const answer = await askStepTasks(caller.step, request);
  return answer.ok ? taskOf(answer.value) : answer.error.code;
}

function taskOf(answer: StepTaskAnswer): Task | null {
  if (!("task" in answer)) throw new Error("no task");
  return answer.task;
}

async function current(): Promise<Task> {
  const task = await store.get(REF);
  if (task === null) throw new Error("no task");
  return task;
}

/** On the shortest way. */
const WAYS: { readonly [to in TaskState]: readonly TaskState[] } = {
  ASSIGNED: [],
  WORKING: ["WORKING"],
  CONFLICTED: ["WORKING", "CONFLICTED"],
  IN_REVIEW: ["WORKING", "IN_REVIEW"],
  APPROVED: ["WORKING", "IN_REVIEW", "APPROVED"],
  COMPLETED: ["WORKING", "IN_REVIEW", "APPROVED", "COMPLETED"],
  FAILED: ["FAILED"],
};

async function bring(to: TaskState, who: string | null = null): Promise<void> {
  for (const state of WAYS[to]) {
    const message = { type: "state_change", who, text: null } as const;
    await store.move({ task: await current(), to: state, set: { who }, message, nowMs: 0 });
  }
}

/** From → to, the message, and what may be set. */
const OF_AGENT = [
  "ASSIGNED WORKING state_change who",
  "WORKING CONFLICTED state_change who note",
  "WORKING IN_REVIEW review_request who head note",
  "CONFLICTED IN_REVIEW review_request who head note",
  "CONFLICTED WORKING state_change who",
  ...["ASSIGNED", "WORKING", "CONFLICTED", "IN_REVIEW", "APPROVED"].map(
    (state) => `${state} FAILED task_failed note`,
  ),
];
const OF_REVIEWER = [
  "IN_REVIEW APPROVED review_approved note",
  "IN_REVIEW WORKING changes_requested note",
  "APPROVED WORKING changes_requested note",
];
const KEYS = ["who", "head", "note", "merged", "worktree", "tokenSha256"] as const;

const MOVES = TASK_STATES.flatMap((from) =>
  TASK_STATES.filter((to) => canMoveTask(from, to)).map((to) => [from, to] as const),
);

describe.each<{ name: string; caller: Caller; allowed: readonly string[] }>([
  { name: "its agent", caller: AGENT, allowed: OF_AGENT },
  { name: "a reviewer", caller: REVIEWER, allowed: OF_REVIEWER },
  { name: "a step without a token", caller: { ...AGENT, token: null }, allowed: [] },
  { name: "an agent of another attempt", caller: { ...AGENT, token: "of 2" }, allowed: [] },
])("$name", ({ caller, allowed }) => {
  it.each(MOVES)("from %s to %s", async (from, to) => {
    const rule = allowed.find((each) => each.startsWith(`${from} ${to} `))?.split(" ");
    for (const type of TASK_MESSAGES)
      for (const key of KEYS) {
        await newTask();
        await bring(from);
        const before = await current();
        const got = await move(caller, { to, set: { [key]: "x" }, type });
        const may = rule?.[2] === type && rule.slice(3).includes(key);
        if (may) expect(got, `${type} ${key}`).toMatchObject({ state: to, [key]: "x" });
        else {
          expect(got, `${type} ${key}`).toBe("TASK_DENIED");
          expect(await current()).toEqual(before);
        }
      }
  });
});

it("a reviewer has its thread's name, and did not work on the task", async () => {
  await bring("IN_REVIEW", "somebody");
  const approval = { to: "APPROVED", set: {}, type: "review_approved" } as const;
  expect(await move(REVIEWER, approval)).toMatchObject({ state: "APPROVED" });
  const messages = await store.messages({ repository: REPOSITORY, after: 0, limit: 100 });
  expect(messages.at(-1)).toMatchObject({ who: `thread ${THREAD}`, text: "said" });
});

it("whoever worked on a task does not review it", async () => {
  await bring("IN_REVIEW", `thread ${THREAD}`);
  const approval = { to: "APPROVED", set: {}, type: "review_approved" } as const;
  expect(await move(REVIEWER, approval)).toBe("TASK_DENIED");
});

it("what somebody else changed meanwhile is not changed", async () => {
  const { revision } = await current();
  await bring("WORKING");
  const message = { type: "state_change", who: null, text: null } as const;
  const late = { ...REF, revision, token: TOKEN, to: "WORKING", set: {}, message } as const;
  expect(await askStepTasks(step(), { op: "move", ...late })).toEqual({
    ok: true,
    value: { task: null },
  });
});

it("a beat is of the agent of this attempt", async () => {
  const beat = { op: "beat", ...REF, progress: 0.5, who: "me" } as const;
  expect(await askStepTasks(step(), { ...beat, attempt: 1, token: TOKEN })).toEqual({
    ok: true,
    value: { taken: true },
  });
  expect(await askStepTasks(step(), { ...beat, attempt: 2, token: TOKEN })).toEqual({
    ok: true,
    value: { taken: false },
  });
  const foreign = await askStepTasks(step(), { ...beat, attempt: 1, token: "another" });
  expect(foreign).toMatchObject({ ok: false, error: { code: "TASK_DENIED" } });
  expect(await current()).toMatchObject({ progress: 0.5, heartbeatAt: 1 });
});

it("tasks of another repository are not served, and none outside one", async () => {
  const list = { op: "list", repository: REPOSITORY } as const;
  expect(await askStepTasks(step(), list)).toMatchObject({ ok: true });
  for (const repository of ["/other/.git", null])
    expect(await askStepTasks(step({ repository }), list)).toMatchObject({
      ok: false,
      error: { code: "ACCESS_DENIED" },
    });
});
