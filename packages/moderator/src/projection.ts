/** What expressions see of a thread, updated step by step.
 *
 *  1. The cost of a decision does not grow with the thread: an array that grew is read from where the last call
 *     stopped. It is read again from the start when it shrank or its first or last known step changed.
 *  2. Roles, fields and values of metas are data: they are kept in objects without a prototype.
 *  3. It is derived from the steps alone, so the same steps always have the same projection. */
import type { ModeratorContext, ModeratorStep } from "@uncaged/workflow-protocol";
import { inertData } from "./inert-data.ts";

/** How often a scalar field of a role's meta had a value: `tally.<field>.<value>`. */
type Tally = { [field: string]: { [value: string]: number } };

type RoleHistory = {
  last: ModeratorStep;
  count: number;
  metas: ModeratorStep["meta"][];
  tally: Tally;
};

type Projection = {
  /** The ends of the array as last seen, to detect changes. */
  source: { first: ModeratorStep | undefined; last: ModeratorStep | undefined; length: number };
  steps: ModeratorStep[];
  byRole: { [role: string]: RoleHistory };
};

/** The root object of every expression. */
export type Visible = Omit<ModeratorContext, "steps" | "bundleHash"> & {
  steps: readonly ModeratorStep[];
  last?: ModeratorStep;
  byRole: { readonly [role: string]: RoleHistory };
};

/** Longer texts are not tallied: nobody routes on their exact value. */
const TALLY_TEXT_CHARS = 64;

const projections = new WeakMap<readonly ModeratorStep[], Projection>();

/** The view of the thread for these steps. O(steps added since the last call). */
export function visible(context: ModeratorContext): Visible {
  const { steps, byRole } = projectionOf(context.steps);
  const { threadId, depth, start } = context;
  const last = steps.at(-1);
  return { threadId, depth, start, steps, byRole, ...(last === undefined ? {} : { last }) };
}

function projectionOf(steps: readonly ModeratorStep[]): Projection {
  const known = projections.get(steps);
  const projection = known !== undefined && isPrefix(known, steps) ? known : emptyProjection();
  for (const step of steps.slice(projection.steps.length)) addStep(projection, inertData(step));
  projection.source = { first: steps[0], last: steps.at(-1), length: steps.length };
  projections.set(steps, projection);
  return projection;
}

function isPrefix({ source }: Projection, steps: readonly ModeratorStep[]): boolean {
  return steps[0] === source.first && steps[source.length - 1] === source.last;
}

function emptyProjection(): Projection {
  return {
    source: { first: undefined, last: undefined, length: 0 },
    steps: [],
    byRole: Object.create(null),
  };
}

function addStep(projection: Projection, step: ModeratorStep): void {
  projection.steps.push(step);
  const history = historyOf(projection, step);
  history.last = step;
  history.count += 1;
  history.metas.push(step.meta);
  for (const [field, value] of Object.entries(step.meta)) countValue(history.tally, field, value);
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
