import { parseJson, type Trigger } from "@uncaged/workflow-protocol";
import { triggerPlanSchema } from "@uncaged/workflow-protocol/plan-schemas";
import { damagedRow } from "./firing-rows.ts";
import type { NamedRow } from "./thread-columns.ts";

/** Throws `STORAGE_FAILED` for a row that this program cannot have written. */
export function triggerOf(row: NamedRow): Trigger {
  const { name, createdAt, pausedAt } = row;
  const plan = triggerPlanSchema.safeParse(
    typeof row.plan === "string" ? parseJson(row.plan) : null,
  );
  if (
    typeof name !== "string" ||
    typeof createdAt !== "number" ||
    !(pausedAt === null || typeof pausedAt === "number") ||
    !plan.success
  )
    throw damagedRow(`trigger ${String(name)}`);
  return { name, plan: plan.data, createdAt, pausedAt };
}
