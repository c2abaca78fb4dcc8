/** What expressions see of a thread, updated step by step.
 *
 *  1. The cost of a decision does not grow with the thread: an array that grew is read from where the last call
 *     stopped. It is read again from the start when it shrank or its first or last known step changed.
 *  2. Roles, fields and values of metas are data: they are kept in objects without a prototype.
 *  3. It is derived from the steps alone, so the same steps always have the same projection.
 *  4. Members of a group stand in declared order, whatever the order in which they finished. */
import {
  isSameGroup,
  type ModeratorContext,
  type ModeratorStep,
  type StepProof,
} from "@uncaged/workflow-protocol";
import { inertData } from "./inert-data.ts";

/** How often a scalar field of a role's meta had a value: `tally.<field>.<value>`. */
type Tally = { [field: string]: { [value: string]: number } };

type RoleHistory = {
  last: ModeratorStep;
  count: number;
  metas: ModeratorStep["meta"][];
  tally: Tally;
};

/** The group whose members are the last steps. */
type GroupResults = {
  name: string;
  /** Number of members that the group has. */
  of: number;
  /** Number of members that have finished. */
  count: number;
  /** Those of them that failed; members that were ended are not counted. */
  failed: number;
  results: ModeratorStep[];
};

type Projection = {
  /** The ends of the array as last seen, to detect changes. */
  source: { first: ModeratorStep | undefined; last: ModeratorStep | undefined; length: number };
  steps: ModeratorStep[];
  byRole: { [role: string]: RoleHistory };
  group: GroupResults | null;
};

/** The root object of every expression. */
export type Visible = Omit<ModeratorContext, "steps" | "bundleHash" | "emptyGroup"> & {
  steps: readonly ModeratorStep[];
  last?: ModeratorStep;
  byRole: { readonly [role: string]: RoleHistory };
  group?: GroupResults;
  evidence: SeenEvidence;
};

/** What is known of the files that the thread's last check saw; `none`: there was none. */
type SeenEvidence = { valid: boolean } & (StepProof | { state: "none" });

/** Longer texts are not tallied: nobody routes on their exact value. */
const TALLY_TEXT_CHARS = 64;

const projections = new WeakMap<readonly ModeratorStep[], Projection>();

/** The view of the thread for these steps. O(steps added since the last call). */
export function visible(context: ModeratorContext): Visible {
  const { steps, byRole, group } = projectionOf(context.steps);
  const { threadId, depth, start } = context;
  const last = steps.at(-1);
  // Of the step that ended last, which need not be the last of a group.
  const evidence = evidenceOf(context.steps.at(-1)?.proof);
  return {
    ...{ threadId, depth, start, steps, byRole, evidence },
    ...(last === undefined ? {} : { last }),
    ...(group === null ? {} : { group }),
  };
}

function evidenceOf(proof: StepProof | undefined): SeenEvidence {
  if (proof === undefined) return { valid: false, state: "none" };
  return { valid: proof.state === "valid", ...proof };
}

function projectionOf(steps: readonly ModeratorStep[]): Projection {
  const known = projections.get(steps);
  const goesOn = known !== undefined && isPrefix(known, steps) && isBefore(known, steps);
  const projection = goesOn ? known : emptyProjection();
  for (const step of inDeclaredOrder(steps.slice(projection.steps.length)))
    addStep(projection, inertData(step));
  projection.source = { first: steps[0], last: steps.at(-1), length: steps.length };
  projections.set(steps, projection);
  return projection;
}

function isPrefix({ source }: Projection, steps: readonly ModeratorStep[]): boolean {
  return steps[0] === source.first && steps[source.length - 1] === source.last;
}

/** Whether no member that was added belongs before one that is known: decisions are made once a group has joined, so
 *  nearly always. */
function isBefore({ steps: known }: Projection, steps: readonly ModeratorStep[]): boolean {
  const last = known.at(-1)?.group;
  for (const { group } of last === undefined ? [] : steps.slice(known.length)) {
    if (group === undefined || !isSameGroup(group, last)) return true;
    if (last !== undefined && group.index < last.index) return false;
  }
  return true;
}

/** Members that finished one after the other are put in order; nothing else changes its place. */
function inDeclaredOrder(steps: readonly ModeratorStep[]): ModeratorStep[] {
  const runs: ModeratorStep[][] = [];
  for (const step of steps) {
    const run = runs.at(-1);
    if (run !== undefined && isSameGroup(run[0]?.group, step.group)) run.push(step);
    else runs.push([step]);
  }
  return runs.flatMap((run) => run.sort((a, b) => (a.group?.index ?? 0) - (b.group?.index ?? 0)));
}

function emptyProjection(): Projection {
  return {
    source: { first: undefined, last: undefined, length: 0 },
    steps: [],
    byRole: Object.create(null),
    group: null,
  };
}

function addStep(projection: Projection, step: ModeratorStep): void {
  projection.steps.push(step);
  const history = historyOf(projection, step);
  history.last = step;
  history.count += 1;
  history.metas.push(step.meta);
  projection.group = groupAfter(projection, step);
  for (const [field, value] of Object.entries(step.meta)) countValue(history.tally, field, value);
}

function groupAfter({ group: known }: Projection, step: ModeratorStep): GroupResults | null {
  if (step.group === undefined) return null;
  const { name, of } = step.group;
  const isKnown = isSameGroup(known?.results[0]?.group, step.group);
  const group = isKnown && known !== null ? known : { name, of, count: 0, failed: 0, results: [] };
  group.results.push(step);
  group.count += 1;
  if (step.outcome !== undefined && step.outcome !== "cancelled") group.failed += 1;
  return group;
}

function historyOf({ byRole }: Projection, step: ModeratorStep): RoleHistory {
  const known = byRole[step.role];
  if (known !== undefined) return known;
  const history = { last: step, count: 0, metas: [], tally: Object.create(null) };
  byRole[step.role] = history;
  return history;
}

function countValue(tally: Tally, field: string, value: unknown): void {
  const text = tallyText(value);
  if (text === null) return;
  const counts = tally[field] ?? Object.create(null);
  counts[text] = (counts[text] ?? 0) + 1;
  tally[field] = counts;
}

/** The value as a key; null for values that are not counted: long texts, lists, objects. */
function tallyText(value: unknown): string | null {
  if (typeof value === "string") return value.length <= TALLY_TEXT_CHARS ? value : null;
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return null;
}
