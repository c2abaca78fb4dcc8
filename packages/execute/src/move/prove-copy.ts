import { markReachable, sha256Hex } from "@uncaged/workflow-cas";
import { failure, isErrorCode, type Problem, WorkflowError } from "@uncaged/workflow-protocol";
import { type BlobCounts, compareBlobs, differs } from "./copy-blobs.ts";
import type { Effect } from "./effect.ts";
import type { MovingEnd } from "./moving-end.ts";

/** Compares every blob, and proves that every thread is whole in the copy: its start, its head with the digest that its row has,
 *  and all that they need. Throws `STORAGE_FAILED`, `CAS_MISSING` or `CAS_CORRUPT`. */
export async function proveBlobs(
  from: Pick<MovingEnd, "cas">,
  to: Pick<MovingEnd, "cas" | "threads">,
  { effect, progress }: { effect: Effect; progress: (done: number, total: number) => void },
): Promise<BlobCounts & { threads: number }> {
  const threads = await to.threads.roots();
  const heads = threads.flatMap(({ startHash, head }) => [startHash, head]);
  const { known, isClosed, ...counts } = await compareBlobs(from.cas, to.cas, progress);
  // A blob that a garbage collection has set aside is not listed. Where one is needed, it comes after the others.
  if (!isClosed || heads.some((hash) => !known.has(hash)))
    await fetchNeeded(from, to, { heads, effect });
  for (const { threadId, head, headSha256 } of threads) {
    const text = await to.cas.get(head);
    if (text === null || sha256Hex(Buffer.from(text)) !== headSha256)
      throw differs(`thread ${threadId}`);
  }
  return { ...counts, threads: threads.length };
}

async function fetchNeeded(
  from: Pick<MovingEnd, "cas">,
  to: Pick<MovingEnd, "cas">,
  { heads, effect }: { heads: readonly string[]; effect: Effect },
): Promise<void> {
  const { problems } = await markReachable(heads, async (hash) => {
    const here = await to.cas.get(hash);
    if (here !== null) return here;
    const text = await from.cas.get(hash);
    if (text === null) return null;
    await effect("store a blob that was set aside");
    await to.cas.putBatch([{ hash, text, sha256: sha256Hex(Buffer.from(text)) }]);
    return text;
  });
  const [problem] = problems;
  if (problem !== undefined) throw broken(problem, problems.length);
}

function broken({ code, message }: Problem, count: number): WorkflowError {
  const others = count > 1 ? `, and ${count - 1} more` : "";
  return new WorkflowError(
    failure(
      isErrorCode(code) ? code : "CAS_MISSING",
      `the root was not moved: ${message}${others}`,
      "see all of them: uncaged-workflow cas fsck; then repair or remove the threads that need them",
    ),
  );
}
