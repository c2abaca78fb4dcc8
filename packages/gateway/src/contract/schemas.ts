/** The contract as schemas: what a server accepts, and what is written in the OpenAPI document. None of them changes a
 *  value, so that each has a JSON Schema. A separate entry point: a page does without them. */
import type { EndpointName } from "./api.ts";
import { ACCESS } from "./schemas/access.ts";
import { BLOBS } from "./schemas/blobs.ts";
import { DIFF_THREADS } from "./schemas/diff-threads.ts";
import { DRY_RUN } from "./schemas/dry-run.ts";
import type { SchemasOf } from "./schemas/endpoint-schemas.ts";
import { EVENTS } from "./schemas/events.ts";
import { FORK_THREADS } from "./schemas/fork-threads.ts";
import { QUEUE } from "./schemas/queue.ts";
import { ROOT } from "./schemas/root.ts";
import { SCHEDULES } from "./schemas/schedules.ts";
import { STEER_THREADS } from "./schemas/steer-threads.ts";
import { STEPS } from "./schemas/steps.ts";
import { TASKS } from "./schemas/tasks.ts";
import { THREADS } from "./schemas/threads.ts";
import { WORKFLOWS } from "./schemas/workflows.ts";

export type { EndpointSchemas } from "./schemas/endpoint-schemas.ts";
export { serverEventSchema } from "./schemas/events.ts";
export { failureSchema } from "./schemas/failure.ts";

export const SCHEMAS: SchemasOf<EndpointName> = {
  ...STEPS,
  ...THREADS,
  ...DIFF_THREADS,
  ...STEER_THREADS,
  ...FORK_THREADS,
  ...WORKFLOWS,
  ...DRY_RUN,
  ...QUEUE,
  ...ROOT,
  ...TASKS,
  ...SCHEDULES,
  ...BLOBS,
  ...EVENTS,
  ...ACCESS,
};
