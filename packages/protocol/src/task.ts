/** The life of a worker task: a branch, a worktree and a row. */
export const TASK_STATES = [
  "ASSIGNED",
  "WORKING",
  "CONFLICTED",
  "IN_REVIEW",
  "APPROVED",
  "COMPLETED",
  "FAILED",
] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** The only table of allowed changes; any other is `TRANSITION_INVALID`. */
export const TASK_TRANSITIONS: { readonly [from in TaskState]: readonly TaskState[] } = {
  ASSIGNED: ["WORKING", "FAILED"],
  WORKING: ["IN_REVIEW", "CONFLICTED", "FAILED"],
  CONFLICTED: ["IN_REVIEW", "WORKING", "FAILED"],
  IN_REVIEW: ["APPROVED", "WORKING", "FAILED"],
  APPROVED: ["COMPLETED", "WORKING", "FAILED"],
  COMPLETED: [],
  FAILED: ["ASSIGNED"],
};

export function canMoveTask(from: TaskState, to: TaskState): boolean {
  return TASK_TRANSITIONS[from].includes(to);
}

/** Which task: ids are unique in a repository. */
export type TaskRef = {
  /** The folder that all worktrees share, absolute, symbolic links resolved. */
  repository: string;
  id: string;
};

export type Task = TaskRef & {
  state: TaskState;
  /** Counts the changes of everything but heartbeat and progress: what a change is compared with. */
  revision: number;
  branch: string;
  /** Absolute. */
  worktree: string;
  description: string;
  /** The branch it goes into. */
  integration: string;
  /** From 1. */
  attempt: number;
  /** SHA-256 of the token of this attempt's agent. */
  tokenSha256: string;
  /** Who works on this attempt; null: nobody has started. */
  who: string | null;
  /** Everybody who worked on it, in any attempt. */
  workers: readonly string[];
  /** The commit that was offered for review last; null: none. */
  head: string | null;
  /** The commit that brought it into the integration branch. */
  merged: string | null;
  /** Why it failed, or what has to be changed; null: nothing was said. */
  note: string | null;
  /** Unix milliseconds, like all times here. */
  assignedAt: number;
  changedAt: number;
  /** null: none in this attempt. */
  heartbeatAt: number | null;
  /** 0 to 1. */
  progress: number | null;
  /** A thread of this workflow does the work; null: an agent that somebody else started. */
  workflow: string | null;
  /** The thread that does it now. null: there is none yet, or what it did was sent back. */
  thread: string | null;
};

export const TASK_MESSAGES = [
  "task_assign",
  "state_change",
  "review_request",
  "review_approved",
  "changes_requested",
  "heartbeat",
  "task_failed",
] as const;
export type TaskMessageType = (typeof TASK_MESSAGES)[number];

/** An entry of the bus. */
export type TaskMessage = TaskRef & {
  /** Rises; gaps are possible. */
  seq: number;
  type: TaskMessageType;
  attempt: number;
  from: TaskState | null;
  to: TaskState;
  at: number;
  /** Who did it; null: not known. */
  who: string | null;
  text: string | null;
};

/** What a new task begins with. */
export type NewTask = Pick<
  Task,
  | "repository"
  | "id"
  | "branch"
  | "worktree"
  | "description"
  | "integration"
  | "tokenSha256"
  | "workflow"
>;

export type TaskMove = {
  /** As it was read: it must have this revision still. */
  task: Task;
  to: TaskState;
  /** What changes with it. A move to ASSIGNED is the next attempt. After one to ASSIGNED, or back to WORKING, the task has no
   *  thread. */
  set: Partial<Pick<Task, "worktree" | "tokenSha256" | "who" | "head" | "merged" | "note">>;
  message: { type: TaskMessageType; who: string | null; text: string | null };
  nowMs: number;
};

/** What a step in a sandbox asks of the tasks: only of the `repository` that it works in (as in a `TaskRef`). */
export type StepTaskRequest =
  | ({ op: "get" } & TaskRef)
  | { op: "list"; repository: string }
  | { op: "messages"; repository: string; after: number; limit: number }
  | ({ op: "beat"; token: string } & TaskRef & Pick<Task, "attempt" | "progress" | "who">)
  /** `token`: of the agent of the task; null: of nobody, as a reviewer is. */
  | ({ op: "move"; token: string | null } & TaskRef &
      Pick<Task, "revision"> &
      Pick<TaskMove, "to" | "set" | "message">)
  | { op: "reviewer" };

/** `get` and `move`: the task, null as a `TaskStore` says it. `beat`: whether it was taken. `reviewer`: whether the role
 *  of the step may review. */
export type StepTaskAnswer =
  | { task: Task | null }
  | { tasks: Task[] }
  | { messages: TaskMessage[] }
  | { taken: boolean }
  | { mayReview: boolean };

/** As whom a thread works on tasks, and reviews them. */
export function workerName(thread: string): string {
  return `thread ${thread}`;
}

/** Worker tasks and their bus.
 *
 *  1. Every change is one durable transaction that appends its message.
 *  2. Of several who change a task that they all read at one revision, one does. */
export type TaskStore = {
  /** Records it as ASSIGNED. False: there is one with this id. */
  add(task: NewTask, by: { who: string | null; nowMs: number }): Promise<boolean>;
  get(ref: TaskRef): Promise<Task | null>;
  /** By time of assignment, then id; `repository` null: all. */
  list(repository: string | null): Promise<Task[]>;
  /** The changed task; null: it was changed by somebody else meanwhile. Throws `TRANSITION_INVALID`. */
  move(move: TaskMove): Promise<Task | null>;
  /** Changes the token of an attempt, or its thread, without a message. False: it was changed meanwhile. */
  amend(task: Task, set: Partial<Pick<Task, "tokenSha256" | "thread">>): Promise<boolean>;
  /** A sign of life of an attempt. False: that attempt is over, or the task has ended. Of these messages only the last
   *  one of each task is kept. */
  beat(
    task: Pick<Task, "repository" | "id" | "attempt">,
    beat: { nowMs: number; progress: number | null; who: string | null },
  ): Promise<boolean>;
  /** Behind `after`, in order. */
  messages(request: {
    repository: string | null;
    after: number;
    limit: number;
  }): Promise<TaskMessage[]>;
  close(): Promise<void>;
};
