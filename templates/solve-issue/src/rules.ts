/** The moderator table of `solve-issue`.
 *
 *  1. Every expression reads the projection (`last`, `byRole`) and never `steps`.
 *  2. Developer and submitter work in the directory that the preparer reported; its schema keeps
 *     that directory below the thread's own. */
import { END, type ModeratorTable, START } from "@uncaged/workflow-runtime";
import type { SolveIssueMeta } from "./roles.ts";

const DIRECTORY = "{{ byRole.preparer.last.meta.directory }}";

const TASK = `{{ last.meta.task }}

Acceptance criteria:
{{ $join(last.meta.acceptanceCriteria.("- " & $), "\\n") }}

Issue: {{ last.meta.issue }}
The working directory has the branch {{ last.meta.branch }} checked out, made from {{ last.meta.base }}. Commit on that branch and do not push.`;

const SUBMIT = `Commit {{ last.meta.commit }} on branch {{ byRole.preparer.last.meta.branch }} is ready. Open a pull request against {{ byRole.preparer.last.meta.base }} for issue {{ byRole.preparer.last.meta.issue }}.
{{ last.meta.childThread ? "The record of the work: uncaged-workflow thread show " & last.meta.childThread : "" }}`;

export const solveIssueTable: ModeratorTable<SolveIssueMeta> = {
  [START]: [{ condition: "FALLBACK", role: "preparer" }],
  preparer: [
    { condition: { name: "blocked", when: "last.meta.status = 'blocked'" }, role: END },
    { condition: "FALLBACK", role: "developer", prompt: TASK, location: DIRECTORY },
  ],
  developer: [
    { condition: { name: "failed", when: "last.meta.status = 'failed'" }, role: END },
    { condition: "FALLBACK", role: "submitter", prompt: SUBMIT, location: DIRECTORY },
  ],
  submitter: [{ condition: "FALLBACK", role: END }],
};
