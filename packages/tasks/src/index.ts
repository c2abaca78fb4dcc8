export { isStale, lastSign } from "./is-stale.ts";
export { type GateCheck, gateCheck } from "./queue/gate-check.ts";
export type { Landed, Landing, TreeCheck } from "./queue/land-tasks.ts";
export { CONTEXT_ENV, CONTEXT_FILE, contextIn, type TaskContext } from "./task-context.ts";
export {
  asAgent,
  callersTask,
  findTask,
  openDesk,
  type TaskDesk,
  type TaskSettings,
} from "./task-desk.ts";
export { type Cancel, cancelTask, failTask } from "./verbs/end-task.ts";
export { finishTask } from "./verbs/finish-task.ts";
export { followThread, type WorkState, type WorkThreads } from "./verbs/follow-thread.ts";
export { type Merge, mergeAll, mergeTask } from "./verbs/merge-task.ts";
export { retryTask } from "./verbs/retry-task.ts";
export { approveTask, type CallingStep, requestChanges } from "./verbs/review-task.ts";
export { type Spawn, spawnTask } from "./verbs/spawn-task.ts";
export { beatTask, startTask } from "./verbs/work-on-task.ts";
