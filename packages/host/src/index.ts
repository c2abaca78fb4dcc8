export type { Serving } from "./be-worker.ts";
export { type HostStatus, hostStatus, type Undelivered, undelivered } from "./host-status.ts";
export { runHost } from "./run-host.ts";
export {
  addSchedule,
  backfillSchedule,
  findSchedule,
  pauseSchedule,
  removeSchedule,
  resumeSchedule,
  runSchedule,
} from "./schedule/change-schedules.ts";
export { cronTiming, timeIn } from "./schedule/due-times.ts";
export { threadStarter } from "./schedule/thread-starter.ts";
export { type ServiceFile, serviceFile } from "./service-file.ts";
export { stopHost } from "./stop-host.ts";
export { MERGED_AT_ONCE, mergeCheck, taskSettings } from "./tasks/task-settings.ts";
export { workThreads } from "./tasks/work-threads.ts";
export {
  addTrigger,
  findTrigger,
  pauseTrigger,
  removeTrigger,
  resumeTrigger,
  runTrigger,
} from "./trigger/change-triggers.ts";
export {
  type Delivery,
  payloadIn,
  type Received,
  type ReceiveOptions,
  receiveDelivery,
} from "./trigger/receive-delivery.ts";
export { newSecret } from "./trigger/verify-delivery.ts";
