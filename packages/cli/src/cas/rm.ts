import { markReachable } from "@uncaged/workflow-cas";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  type NodeStore,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";
import { checkedHash, withStore } from "./open-store.ts";

/** Deletes a blob. One that a thread needs is only deleted when forced: that thread can then no longer be read
 *  completely. */
export async function removeBlob(
  opts: { hash: string; even: "needed" | "unneeded" },
  io: Io,
): Promise<Result<Output, Failure>> {
  const hash = checkedHash(opts.hash);
  if (!(await withStore(io, "read", (cas) => isStored(cas, hash)))) {
    return err(
      failure("CAS_MISSING", `the store has no blob ${hash}`, "see: uncaged-workflow cas list"),
    );
  }
  const refusal = opts.even === "needed" ? null : await refusalOf(hash, io);
  if (refusal !== null) return err(refusal);
  await withStore(io, "write", (cas) => cas.delete(hash));
  return ok({ document: { hash, removed: true }, human: () => `${hash} is deleted` });
}

/** A damaged blob counts as stored: deleting it may be how it gets repaired. */
async function isStored(cas: NodeStore, hash: string): Promise<boolean> {
  try {
    return (await cas.get(hash)) !== null;
  } catch (thrown) {
    if (failureFrom(thrown, "INTERNAL").code === "CAS_CORRUPT") return true;
    throw thrown;
  }
}

function refusalOf(hash: string, io: Io): Promise<Failure | null> {
  return withEngine(io, async ({ cas, store }) => {
    const threads = await store.roots();
    const roots = threads.flatMap(({ startHash, head }) => [startHash, head]);
    const { reachable, problems } = await markReachable(roots, (needed) => cas.get(needed));
    if (reachable.has(hash)) {
      return failure(
        "CAS_IN_USE",
        `a thread needs blob ${hash}`,
        "unneeded blobs are deleted by: uncaged-workflow cas gc; delete this one anyway with --force",
      );
    }
    const [problem] = problems;
    if (problem === undefined) return null;
    return failure(
      "CAS_IN_USE",
      `it is not known whether a thread needs blob ${hash}: ${problem.message}`,
      "see: uncaged-workflow cas fsck; delete this one anyway with --force",
    );
  });
}
