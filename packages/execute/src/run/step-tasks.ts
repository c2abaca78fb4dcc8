/** What a step in a sandbox may do to worker tasks. Its programs say who they are, so nothing is believed:
 *
 *  1. Only the tasks of the repository are served in which the step began.
 *  2. A task is changed by whoever knows the token of its attempt, as its agent, or by a step whose role may review. The
 *     engine knows the role; the program does not say it.
 *  3. Each change may set what its verb sets, and nothing else: whoever reviews cannot offer another commit. */
import { sha256Hex } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type StepTaskAnswer,
  type StepTaskRequest,
  type Task,
  type TaskMessageType,
  type TaskMove,
  type TaskState,
  type TaskStore,
  type ThreadRecord,
  workerName,
} from "@uncaged/workflow-protocol";
import { findRepository, mayBeInRepository } from "@uncaged/workflow-workspace";
import { openTasks } from "../place/open-parts.ts";
import type { Engine } from "../storage/engine.ts";

/** What one step may do to tasks. */
export type StepTasks = {
  /** Before the role begins: later, its programs could make their folder look like another repository. Null: there is
   *  nothing to wait for. */
  look(): Promise<void> | null;
  ask(request: StepTaskRequest): Promise<Result<StepTaskAnswer, Failure>>;
};

/** For the steps of a thread. `reviewers`: `<workflow>/<role>`. */
export function stepTasks(
  engine: Pick<Engine, "root" | "now">,
  { thread, reviewers }: { thread: ThreadRecord; reviewers: readonly string[] },
): (step: { role: string; cwd: string }) => StepTasks {
  const { threadId, workflow } = thread;
  return ({ role, cwd }) => {
    const mayReview = reviewers.includes(`${workflow}/${role}`);
    let repository: string | null = null;
    return {
      look: () =>
        mayBeInRepository(cwd)
          ? findRepository(cwd).then(
              (found) => {
                repository = found.ok ? (found.value?.commonDir ?? null) : null;
              },
              () => undefined,
            )
          : null,
      ask: (request) =>
        askStepTasks(
          { open: () => openTasks(engine.root), repository, threadId, mayReview, now: engine.now },
          request,
        ),
    };
  };
}

export type TasksOfStep = {
  /** Closed after each request. */
  open: () => Promise<TaskStore>;
  /** That the step works in; null: in none. */
  repository: string | null;
  threadId: string;
  mayReview: boolean;
  now: () => number;
};

type MoveRequest = Extract<StepTaskRequest, { op: "move" }>;
type Change = { type: TaskMessageType; sets: readonly (keyof TaskMove["set"])[] };
type Changes = { readonly [to in TaskState]?: Change };

const BY_AGENT: Changes = {
  WORKING: { type: "state_change", sets: ["who"] },
  CONFLICTED: { type: "state_change", sets: ["who", "note"] },
  IN_REVIEW: { type: "review_request", sets: ["who", "head", "note"] },
  FAILED: { type: "task_failed", sets: ["note"] },
};
const BY_REVIEWER: Changes = {
  APPROVED: { type: "review_approved", sets: ["note"] },
  WORKING: { type: "changes_requested", sets: ["note"] },
};
/** Only a reviewer sends back what was offered. */
const OFFERED: readonly TaskState[] = ["IN_REVIEW", "APPROVED"];

/** `ACCESS_DENIED`: another repository; `TASK_DENIED`; what the store throws. */
export async function askStepTasks(
  step: TasksOfStep,
  request: StepTaskRequest,
): Promise<Result<StepTaskAnswer, Failure>> {
  if (request.op === "reviewer") return ok({ mayReview: step.mayReview });
  const { repository } = request;
  if (repository !== step.repository) return err(elsewhere(repository));
  const store = await step.open();
  try {
    switch (request.op) {
      case "get":
        return ok({ task: await store.get(request) });
      case "list":
        return ok({ tasks: await store.list(repository) });
      case "messages":
        return ok({ messages: await store.messages(request) });
      case "beat":
        return await beat(store, step, request);
      case "move":
        return await move(store, step, request);
    }
  } finally {
    await store.close();
  }
}

async function beat(
  store: TaskStore,
  { now }: TasksOfStep,
  { repository, id, attempt, token, progress, who }: Extract<StepTaskRequest, { op: "beat" }>,
): Promise<Result<StepTaskAnswer, Failure>> {
  const task = await store.get({ repository, id });
  if (task === null || task.attempt !== attempt) return ok({ taken: false });
  if (!isOf(task, token)) return err(denied(task, "the token is not that of its agent"));
  return ok({ taken: await store.beat(task, { nowMs: now(), progress, who }) });
}

async function move(
  store: TaskStore,
  step: TasksOfStep,
  { repository, id, revision, to, set, message, token }: MoveRequest,
): Promise<Result<StepTaskAnswer, Failure>> {
  const task = await store.get({ repository, id });
  if (task === null || task.revision !== revision) return ok({ task: null });
  const isAgent = token !== null && isOf(task, token);
  const who = isAgent ? message.who : reviewerOf(step, task);
  if (who === null) return err(denied(task, "this step is neither its agent nor its reviewer"));
  const change = (isAgent ? BY_AGENT : BY_REVIEWER)[to];
  const isOffered = OFFERED.includes(task.state);
  const fits =
    change?.type === message.type &&
    Object.keys(set).every((key) => change.sets.some((each) => each === key)) &&
    (isAgent ? to === "FAILED" || !isOffered : isOffered);
  if (!fits) return err(denied(task, `it may not be made ${to} from here`));
  const moved = { task, to, set, message: { ...message, who }, nowMs: step.now() };
  return ok({ task: await store.move(moved) });
}

/** Whoever worked on a task does not review it. */
function reviewerOf({ threadId, mayReview }: TasksOfStep, { workers }: Task): string | null {
  const who = workerName(threadId);
  return mayReview && !workers.includes(who) ? who : null;
}

function isOf({ tokenSha256 }: Task, token: string): boolean {
  return sha256Hex(token) === tokenSha256;
}

function denied({ id }: Task, why: string): Failure {
  return failure(
    "TASK_DENIED",
    `this step may not do that to task ${id}: ${why}`,
    "from a sandbox, an agent does its own task, and a reviewer's role reviews",
  );
}

function elsewhere(repository: string): Failure {
  return failure(
    "ACCESS_DENIED",
    `this step does not work in ${JSON.stringify(repository.slice(0, 200))}`,
    "from a sandbox, the tasks of the step's own repository can be reached",
  );
}
