import {
  type CallFailure,
  type Connection,
  call,
  type Reply,
} from "@uncaged/workflow-gateway/contract";
import { err, ok, type Result } from "@uncaged/workflow-protocol";

/** The YAML that a thread of the workflow `author` has drafted last. */
export async function draftIn(
  to: Connection,
  { client, thread, signal }: { client: string; thread: string; signal: AbortSignal },
): Promise<Result<Reply<string>, CallFailure>> {
  const index = await call(to, "threadIndex", { client, path: { id: thread }, signal });
  if (!index.ok) return index;
  const round = index.value.value.columns.role.lastIndexOf("drafter") + 1;
  if (round === 0) return err(noDraft(thread));
  const step = await call(to, "showStep", { client, path: { id: thread, n: `${round}` }, signal });
  if (!step.ok) return step;
  const { yaml } = step.value.value.step.meta;
  return typeof yaml === "string" ? ok({ value: yaml, etag: null }) : err(noDraft(thread));
}

function noDraft(thread: string): CallFailure {
  return {
    code: "THREAD_UNFINISHED",
    message: `the thread ${thread} has drafted nothing yet`,
    hint: "open it, and answer what it asks",
    status: 0,
  };
}
