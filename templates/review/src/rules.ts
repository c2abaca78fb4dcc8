/** The moderator table of `review`: a group with a member for each file. A review that failed is a result like others,
 *  and the reporter is told which files were not reviewed. */
import { END, type ModeratorTable, START } from "@uncaged/workflow-runtime";
import type { ReviewMeta } from "./roles.ts";

const REVIEW = `Review {{ file.path }}.
{{ file.focus }}

The change as a whole: {{ last.meta.purpose }}`;

/** Path of the file whose review a step is: members are in the order of the files. */
const PATH = "($at := group.index; $$.byRole.planner.last.meta.files[$at].path)";

const REPORT = `The reviews are done: {{ group.of }} files, {{ group.failed }} of which could not be reviewed.
{{ $join(group.results[$exists(outcome)].("- " & ${PATH} & ": " & meta.reason), "\\n") }}

Findings:
{{ $join(group.results.meta.findings.("- " & place & " (" & severity & "): " & problem), "\\n") }}

What the reviewers say:
{{ $join(group.results[$not($exists(outcome))].("- " & ${PATH} & ": " & meta.summary), "\\n") }}`;

export const reviewTable: ModeratorTable<ReviewMeta> = {
  [START]: [{ condition: "FALLBACK", role: "planner" }],
  planner: [
    {
      condition: "FALLBACK",
      group: {
        name: "reviews",
        each: "last.meta.files",
        as: "file",
        role: "reviewer",
        prompt: REVIEW,
      },
    },
  ],
  reviewer: [],
  reviews: [
    { condition: { name: "nothingToReview", when: "group.count = 0" }, role: END },
    { condition: "FALLBACK", role: "reporter", prompt: REPORT },
  ],
  reporter: [{ condition: "FALLBACK", role: END }],
};
