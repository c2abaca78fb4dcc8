import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit, tryGit } from "../git/run-git.ts";
import { keepSnapshots, snapshotRef } from "../snapshot/record-snapshot.ts";
import { fetchCommit } from "./push-snapshots.ts";
import { type TravelPlace, withTravelGit } from "./travel-git.ts";

/** Gets the files of a thread from a remote and keeps them as its snapshots here, beside what it has here. The remote is
 *  untrusted: each object is checked. `GIT_FAILED`, also when the remote does not have the commit.
 *
 *  `from`: the thread at whose reference the commit is. */
export async function fetchSnapshots({
  place,
  threadId,
  from,
  url,
  commit,
}: {
  place: TravelPlace;
  threadId: string;
  from: string;
  url: string;
  commit: string;
}): Promise<Result<null, Failure>> {
  const gitDir = place.commonDir;
  const local = { scope: { gitDir }, cwd: gitDir };
  const here = await tryGit(["cat-file", "-e", `${commit}^{tree}`], local);
  if (!here.ok) return here;
  if (here.value.exitCode !== 0) {
    const format = "--format=%(objectname)";
    const refs = ["--count=20", "--sort=-creatordate", format, "refs/uncaged", "refs/remotes"];
    const tips = await runGit(["for-each-ref", ...refs], local);
    if (!tips.ok) return tips;
    const known = tips.value.split("\n").filter(Boolean);
    const ref = snapshotRef(from);
    const fetched = await withTravelGit(place, (options) =>
      fetchCommit({ url, ref, known }, options),
    );
    if (!fetched.ok) return fetched;
    const arrived = await runGit(["cat-file", "-e", `${commit}^{tree}`], local);
    if (!arrived.ok) return arrived;
  }
  const kept = await keepSnapshots(gitDir, { threadId, tips: [commit] });
  return kept.ok ? ok(null) : kept;
}

/** Deletes the snapshots of a thread on a remote. None there is no failure. */
export function dropRemoteSnapshots(
  place: TravelPlace,
  { threadId, url }: { threadId: string; url: string },
): Promise<Result<null, Failure>> {
  const args = ["push", "--quiet", "--no-follow-tags", "--recurse-submodules=no", "--"];
  return withTravelGit(place, async (options) => {
    const dropped = await tryGit([...args, url, `:${snapshotRef(threadId)}`], options);
    return dropped.ok ? ok(null) : dropped;
  });
}
