import { err, type Problem, type Result, WorkflowError } from "@uncaged/workflow-protocol";
import { refsOf } from "./codec.ts";

/** Everything that the roots need, and which of it is missing or damaged, each with one blob that refers to it. */
export type Reachability = { reachable: Set<string>; problems: Problem[] };

type Read = (hash: string) => Promise<string | null>;
/** `neededBy`: the blob whose refs led here; null for a root. */
type Visit = { hash: string; neededBy: string | null };

/** Follows refs from the roots. `read` returns a valid blob's text or null; a `WorkflowError` that it throws becomes a
 *  problem, anything else ends the walk. */
export async function markReachable(roots: readonly string[], read: Read): Promise<Reachability> {
  const reachable = new Set<string>();
  const problems: Problem[] = [];
  const open: Visit[] = roots.map((hash) => ({ hash, neededBy: null }));
  for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
    const { hash } = visit;
    if (reachable.has(hash)) continue;
    reachable.add(hash);
    const refs = await refsAt(visit, read);
    if (refs.ok) for (const ref of refs.value) open.push({ hash: ref, neededBy: hash });
    else problems.push(refs.error);
  }
  return { reachable, problems };
}

async function refsAt(visit: Visit, read: Read): Promise<Result<readonly string[], Problem>> {
  const { hash } = visit;
  try {
    const text = await read(hash);
    if (text === null) return problem(visit, "CAS_MISSING", `blob ${hash} is missing`);
    const refs = refsOf(text);
    return refs.ok
      ? refs
      : problem(visit, refs.error.code, `blob ${hash} is ${refs.error.message}`);
  } catch (cause) {
    if (!(cause instanceof WorkflowError)) throw cause;
    return problem(visit, cause.failure.code, cause.failure.message);
  }
}

function problem({ hash, neededBy }: Visit, code: string, what: string): Result<never, Problem> {
  const needed = neededBy === null ? "a thread's start or head" : `a reference of ${neededBy}`;
  return err({ code, hash, message: `${what} (${needed})` });
}
