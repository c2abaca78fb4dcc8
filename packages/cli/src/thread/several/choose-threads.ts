/** Which threads a verb applies to: named one by one, or selected by their properties. */
import { THREAD_STATUSES, type ThreadStatus } from "@uncaged/workflow-protocol";
import {
  type Argument,
  anyArguments,
  choiceOption,
  durationOption,
  type Given,
  type Option,
  switchOption,
  textOption,
  usageError,
} from "../../command/options.ts";

/** A status, or `orphaned`: its runner died, whatever its status is now. */
export type Standing = ThreadStatus | "orphaned";

export type ThreadChoice =
  | { kind: "one"; id: string }
  /** `yes`: without asking first. */
  | { kind: "named"; ids: readonly string[]; yes: boolean }
  | {
      kind: "matching";
      standings: readonly Standing[];
      workflow: string | null;
      /** Only threads that have not changed for this long; null: however new. */
      unchangedMs: number | null;
      yes: boolean;
    };

export type ThreadChooser = {
  argument: Argument<readonly string[]>;
  options: readonly Option<unknown>[];
  /** `usual`: the statuses when none is named. Throws `USAGE`. */
  read: (given: Given, usual?: readonly Standing[]) => ThreadChoice;
};

/** For a verb that applies to threads in these statuses. `meant`: the default for `usual`. */
export function chooser(
  statuses: readonly ThreadStatus[] = THREAD_STATUSES,
  meant: readonly Standing[] = statuses,
): ThreadChooser {
  const status = choiceOption("--status <status>", "all threads in this status", statuses);
  return {
    argument: IDS,
    options: [ALL, status, WORKFLOW, OLDER_THAN, YES],
    read: (given, usual = meant) => {
      const [ids, only, yes] = [given(IDS), given(status), given(YES)];
      const [workflow, unchangedMs] = [given(WORKFLOW), given(OLDER_THAN)];
      const chosen = given(ALL) || only !== null || workflow !== null || unchangedMs !== null;
      const [id] = ids;
      if (chosen && id !== undefined)
        throw usageError("ids cannot be combined with a selection", HOW);
      if (chosen) {
        const among = only === null ? usual : [only];
        return { kind: "matching", standings: among, workflow, unchangedMs, yes };
      }
      if (id === undefined) throw usageError("no thread is named", HOW);
      return ids.length === 1 ? { kind: "one", id } : { kind: "named", ids, yes };
    },
  };
}

const HOW = "name threads, or choose them with --all, --status, --workflow or --older-than";

const IDS = anyArguments("id", "thread id, or its beginning or end; one or more");
const ALL = switchOption("--all", "all threads to which this applies");
const WORKFLOW = textOption("--workflow <name>", "all threads of this workflow");
const OLDER_THAN = durationOption(
  "--older-than <duration>",
  "all threads that have not changed for this long, such as 12h or 30d",
);
const YES = switchOption("-y, --yes", "do not ask before several threads are changed");
