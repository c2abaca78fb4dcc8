import type { StepView } from "@uncaged/workflow-protocol";

/** Marks the steps before which somebody else changed the files: their tree was another than what the last step in the
 *  same work tree had left. Members of a group are compared with what their group found. */
export function withOutsideChanges(steps: readonly StepView[]): StepView[] {
  return steps.map((step) => {
    const { workspace } = step;
    if (workspace === undefined) return step;
    const first = step.group?.entry ?? step.round - 1;
    const last = steps
      .slice(0, first)
      .findLast((earlier) => earlier.workspace?.workTree === workspace.workTree)?.workspace;
    if (last === undefined || last.after === workspace.before) return step;
    return { ...step, workspace: { ...workspace, changedOutside: true as const } };
  });
}
