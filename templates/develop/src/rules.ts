/** The moderator table of `develop`.
 *
 *  1. Every expression reads the projection (`last`, `byRole`) and never `steps`, so that a decision
 *     costs O(phases) however long the thread is.
 *  2. A phase is complete once a coder step reported its hash; a later correction does not open it again.
 *  3. A hash that is not in the plan completes nothing. */
import { END, type ModeratorTable, START } from "@uncaged/workflow-runtime";
import type { DevelopMeta } from "./roles.ts";

const PHASES = "byRole.planner.last.meta.phases";
const OPEN_PHASES = `${PHASES}[$not($exists($lookup($$.byRole.coder.tally.completedPhase, hash)))]`;

const NEXT_PHASE = `Do the next open phase ({{ $count(${PHASES}) - $count(${OPEN_PHASES}) }} of {{ $count(${PHASES}) }} are complete): {{ ${OPEN_PHASES}[0].title }}

Its text: uncaged-workflow cas get --payload {{ ${OPEN_PHASES}[0].hash }}
When it is done, report completedPhase: {{ ${OPEN_PHASES}[0].hash }}`;

export const ALL_PHASES_COMPLETE = {
  name: "allPhasesComplete",
  when: `$count(${OPEN_PHASES}) = 0`,
};

export const REVIEW = `Every phase of the plan is reported complete. Review the change as a whole.

Phases:
{{ $join(${PHASES}.("- " & hash & " " & title), "\\n") }}`;

const CORRECT_FINDINGS = `The reviewer rejected the change. Correct each finding, or show with evidence that it is wrong:
{{ $join(last.meta.findings.("- " & place & ": " & problem), "\\n") }}`;

export const TEST = "The reviewer approved the change. Find out by running it whether it works.";

const CORRECT_FAILURE = `The tests failed. Find the cause and correct it:
{{ last.meta.failure }}

What was run:
{{ $join(last.meta.commands.("- " & command & " (exit code " & exitCode & ")"), "\\n") }}`;

const COMMIT = `The change was reviewed, and the tests passed. Commit it.

What was run:
{{ $join(last.meta.commands.("- " & command), "\\n") }}`;

export const TO_NEXT_PHASE = {
  condition: "FALLBACK",
  role: "coder",
  prompt: NEXT_PHASE,
} as const;

/** The tests passed, but not on the files that are there now. */
export const TO_CHECKED_AGAIN = {
  condition: {
    name: "changedSince",
    when: "last.meta.status = 'passed' and evidence.state = 'stale'",
  },
  role: "coder",
  prompt:
    "The files were changed after your work had been checked, by a later role or by somebody else (git diff). Keep what is right, undo what is not, and report as before: the checks run again.",
} as const;

export const developTable: ModeratorTable<DevelopMeta> = {
  [START]: [{ condition: "FALLBACK", role: "planner" }],
  planner: [
    { condition: { name: "planAborted", when: "last.meta.status = 'aborted'" }, role: END },
    TO_NEXT_PHASE,
  ],
  coder: [
    {
      condition: ALL_PHASES_COMPLETE,
      role: "reviewer",
      prompt: REVIEW,
    },
    TO_NEXT_PHASE,
  ],
  reviewer: [
    {
      condition: { name: "approved", when: "last.meta.status = 'approved'" },
      role: "tester",
      prompt: TEST,
    },
    { condition: "FALLBACK", role: "coder", prompt: CORRECT_FINDINGS },
  ],
  tester: [
    {
      condition: { name: "passed", when: "last.meta.status = 'passed'" },
      role: "committer",
      prompt: COMMIT,
    },
    { condition: "FALLBACK", role: "coder", prompt: CORRECT_FAILURE },
  ],
  committer: [{ condition: "FALLBACK", role: END }],
};
