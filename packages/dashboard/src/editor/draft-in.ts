import {
  type CallFailure,
  type Connection,
  call,
  type Reply,
} from "@uncaged/workflow-gateway/contract";
import { ok, type Result } from "@uncaged/workflow-protocol";

export type DraftIn = { text: string; round: number };

/** The YAML that a thread of the workflow `author` has drafted last; null: nothing yet. */
export async function draftIn(
  to: Connection,
  { client, thread, signal }: { client: string; thread: string; signal: AbortSignal },
): Promise<Result<Reply<DraftIn | null>, CallFailure>> {
  const index = await call(to, "threadIndex", { client, path: { id: thread }, signal });
  if (!index.ok) return index;
  const round = index.value.value.columns.role.lastIndexOf("drafter") + 1;
  if (round === 0) return ok({ value: null, etag: null });
  const step = await call(to, "showStep", { client, path: { id: thread, n: `${round}` }, signal });
  if (!step.ok) return step;
  const { yaml } = step.value.value.step.meta;
  return ok({ value: typeof yaml === "string" ? { text: yaml, round } : null, etag: null });
}
