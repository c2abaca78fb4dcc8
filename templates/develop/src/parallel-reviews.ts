/** `develop` with three reviews side by side. Each reviewer has a viewpoint and a session of its own, and sees none of
 *  the others: what one of them overlooks, or is talked into, the next one finds.
 *
 *  1. All three have to approve. What any of them found goes to the coder at once, in one prompt.
 *  2. A review that failed is no approval. If nothing else was found, one reviewer judges the whole change. */
import type { Transition, WorkflowDefinition } from "@uncaged/workflow-runtime";
import type { DevelopMeta } from "./roles.ts";
import { ALL_PHASES_COMPLETE, REVIEW, TEST, TO_NEXT_PHASE } from "./rules.ts";

const VIEWPOINTS = [
  `correctness. Does it do what the task asks, for the inputs that nobody tried as well? Do its callers, stored data and documented behaviour still hold?`,
  `security. Who can reach it, and with what? Follow what comes from outside (input, files, the network, the environment) to where it is used: commands, paths, queries, markup, memory, time. Are secrets kept?`,
  `tests. Does each new behaviour have a test that would fail without it? Break the code in your mind, and see whether a test notices. Was any test weakened, skipped or removed?`,
];

const CORRECT_ALL_FINDINGS = `Reviewers rejected the change. Correct each finding, or show with evidence that it is wrong:
{{ $join($distinct(group.results.meta.findings.("- " & place & ": " & problem)), "\n") }}`;

const REVIEW_ALONE = `${REVIEW}

Reviews from single viewpoints found nothing, but not all of them were completed. Judge from all viewpoints.`;

type DevelopRule = Transition<keyof DevelopMeta & string>;

const toReviews: DevelopRule = {
  condition: ALL_PHASES_COMPLETE,
  group: {
    name: "reviews",
    members: VIEWPOINTS.map((viewpoint) => ({
      role: "reviewer",
      prompt: `${REVIEW}\n\nOthers review it from other viewpoints. Yours is ${viewpoint}`,
    })),
  },
};

const afterReviews: readonly DevelopRule[] = [
  {
    condition: {
      name: "rejected",
      when: "$count(group.results[meta.status = 'rejected']) > 0",
    },
    role: "coder",
    prompt: CORRECT_ALL_FINDINGS,
  },
  {
    condition: {
      name: "approvedByAll",
      when: "$count(group.results[meta.status = 'approved']) = group.of",
    },
    role: "tester",
    prompt: TEST,
  },
  { condition: "FALLBACK", role: "reviewer", prompt: REVIEW_ALONE },
];

/** From any of the definitions. */
export function withParallelReviews(
  definition: WorkflowDefinition<DevelopMeta>,
): WorkflowDefinition<DevelopMeta> {
  const table = {
    ...definition.table,
    coder: [toReviews, TO_NEXT_PHASE],
    reviews: afterReviews,
  };
  return { ...definition, table };
}
