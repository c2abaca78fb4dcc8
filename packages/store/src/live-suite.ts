/** The contract of a `LiveLog`, as cases for any test runner: `for (const c of liveLogCases) test(c.name, () =>
 *  c.run(openFresh))`. */
import { boundCases } from "./live-suite/bound-cases.ts";
import type { LiveLogCase } from "./live-suite/live-log-case.ts";
import { ownerCases } from "./live-suite/owner-cases.ts";
import { readingCases } from "./live-suite/reading-cases.ts";

export type { LiveLogCase } from "./live-suite/live-log-case.ts";
export {
  eventsOf,
  isText,
  readEnd,
  readUntil,
  says,
  THREAD,
  textsOf,
} from "./live-suite/sample-events.ts";

export const liveLogCases: readonly LiveLogCase[] = [...readingCases, ...ownerCases, ...boundCases];
