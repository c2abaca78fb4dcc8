import { parseJson, type Schedule } from "@uncaged/workflow-protocol";
import { schedulePlanSchema } from "@uncaged/workflow-protocol/plan-schemas";
import { damagedRow } from "./firing-rows.ts";
import type { NamedRow } from "./thread-columns.ts";

/** Throws `STORAGE_FAILED` for a row that this program cannot have written. */
export function scheduleOf(row: NamedRow): Schedule {
  const { name, createdAt, pausedAt, nextAt } = row;
  const plan = schedulePlanSchema.safeParse(
    typeof row.plan === "string" ? parseJson(row.plan) : null,
  );
  if (
    typeof name !== "string" ||
    typeof createdAt !== "number" ||
    !isTime(pausedAt) ||
    !isTime(nextAt) ||
    !plan.success
  )
    throw damagedRow(`schedule ${String(name)}`);
  return { name, plan: plan.data, createdAt, pausedAt, nextAt };
}

function isTime(value: unknown): value is number | null {
  return value === null || typeof value === "number";
}
