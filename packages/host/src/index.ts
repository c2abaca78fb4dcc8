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
export { type ServiceFile, serviceFile } from "./service-file.ts";
export { stopHost } from "./stop-host.ts";
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
