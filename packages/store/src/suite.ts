/** The contract of a `ThreadStore`, as cases for any test runner: `for (const c of threadStoreCases) test(c.name, () =>
 *  c.run(freshStore()))`. */
import { adoptionCases } from "./suite/adoption-cases.ts";
import { askCases } from "./suite/ask-cases.ts";
import { type DispatchCase, queueCases } from "./suite/dispatch-cases.ts";
import { headCases } from "./suite/head-cases.ts";
import { historyCases } from "./suite/history-cases.ts";
import { leaseCases } from "./suite/lease-cases.ts";
import { lifecycleCases } from "./suite/lifecycle-cases.ts";
import { limitCases } from "./suite/limit-cases.ts";
import { memberAskCases } from "./suite/member-ask-cases.ts";
import { noticeCases } from "./suite/notice-cases.ts";
import { personCases } from "./suite/person-cases.ts";
import { queryCases } from "./suite/query-cases.ts";
import { signalCases } from "./suite/signal-cases.ts";
import { spentCases } from "./suite/spent-cases.ts";
import type { ThreadStoreCase } from "./suite/store-case.ts";
import { workerCases } from "./suite/worker-cases.ts";

export {
  type BlobTableCase,
  type BlobTableHarness,
  blobTableCases,
} from "./suite/blob-table-cases.ts";
export type { DispatchCase, DispatchHarness } from "./suite/dispatch-cases.ts";
export { type SchedulesCase, schedulesCases } from "./suite/schedule-cases.ts";
export type { ThreadStoreCase } from "./suite/store-case.ts";
export { type TaskCase, taskCases } from "./suite/task-cases.ts";
export { type TriggersCase, triggersCases } from "./suite/trigger-cases.ts";

export const threadStoreCases: readonly ThreadStoreCase[] = [
  ...lifecycleCases,
  ...adoptionCases,
  ...limitCases,
  ...personCases,
  ...askCases,
  ...memberAskCases,
  ...leaseCases,
  ...headCases,
  ...historyCases,
  ...signalCases,
  ...spentCases,
  ...noticeCases,
  ...queryCases,
];

/** Of the queue of a store and of its workers. */
export const dispatchCases: readonly DispatchCase[] = [...queueCases, ...workerCases];
export { sampleThread } from "./suite/sample-threads.ts";
