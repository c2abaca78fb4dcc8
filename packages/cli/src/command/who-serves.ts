/** Whether anybody takes a thread, and how to start somebody who does. */
import { DEFAULT_POOL, type Placement, type WorkerRecord } from "@uncaged/workflow-protocol";

/** A worker that is there and takes what is new. */
export function serves(
  { pools, labels, drainingAt, stale }: WorkerRecord,
  { pool, needs }: Placement,
): boolean {
  const isThere = !stale && drainingAt === null;
  return isThere && pools.includes(pool) && needs.every((each) => labels.includes(each));
}

/** Every host takes it. */
export function isPlain({ pool, needs }: Placement): boolean {
  return pool === DEFAULT_POOL && needs.length === 0;
}

/** The command that starts a worker for it. */
export function startFor(placement: Placement): string {
  if (isPlain(placement)) return "uncaged-workflow up";
  const labels = placement.needs.map((label) => ` --label ${label}`).join("");
  return `uncaged-workflow worker start --pool ${placement.pool}${labels}`;
}
