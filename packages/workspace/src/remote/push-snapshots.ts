import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type GitOptions, gitFailed, runGit, tryGit } from "../git/run-git.ts";
import { DURABLE } from "../snapshot/durable.ts";
import { joinSnapshots, snapshotRef, snapshotTip } from "../snapshot/record-snapshot.ts";
import { remoteTip, type TravelPlace, withTravelGit } from "./travel-git.ts";

/** Sends the snapshots of a thread to a remote, at the same reference, without force. Returns the commit that the remote
 *  has now: the last one, which has all earlier ones behind it.
 *
 *  Git refuses what does not follow the remote's last commit. That is one of an owner whose lease has a higher fence:
 *  then this one is stale, and is refused (`GIT_FAILED`). Or it is one of an earlier owner, who pushed it late: then it
 *  becomes a second parent. */
export function pushSnapshots({
  place,
  threadId,
  url,
  fence,
  atMs,
}: {
  place: TravelPlace;
  threadId: string;
  url: string;
  /** Of the lease under which the last snapshot was made. */
  fence: number;
  atMs: number;
}): Promise<Result<string, Failure>> {
  const gitDir = place.commonDir;
  const ref = snapshotRef(threadId);
  return withTravelGit(place, async (options) => {
    for (let attempt = 1; ; attempt += 1) {
      const tip = await snapshotTip({ gitDir, threadId });
      if (!tip.ok) return tip;
      if (tip.value === null) return err(noSnapshots(threadId));
      const { commit } = tip.value;
      const args = ["push", "--quiet", "--no-follow-tags", "--recurse-submodules=no"];
      const pushed = await tryGit([...args, "--", url, `${commit}:${ref}`], options);
      if (!pushed.ok) return pushed;
      if (pushed.value.exitCode === 0) return ok(commit);
      const reason = gitFailed(["push"], pushed.value.stderr.trim());
      if (attempt === ATTEMPTS || !/rejected/.test(pushed.value.stderr)) return err(reason);
      const late = await lateCommit({ url, ref, fence }, options);
      if (!late.ok) return late;
      if (late.value === null) return err(reason);
      const joined = await joinSnapshots({ gitDir, threadId, commit: late.value, fence, atMs });
      if (!joined.ok) return joined;
    }
  });
}

const ATTEMPTS = 3;

/** What an earlier owner has pushed; null: the remote has that of a later one. */
async function lateCommit(
  { url, ref, fence }: { url: string; ref: string; fence: number },
  options: GitOptions,
): Promise<Result<string | null, Failure>> {
  const tip = await remoteTip({ url, ref }, options);
  if (!tip.ok || tip.value === null) return tip;
  const fetched = await fetchCommit({ url, ref }, options);
  if (!fetched.ok) return fetched;
  const args = ["show", "--no-patch", "--format=%(trailers:key=Fence,valueonly)", tip.value];
  const said = await runGit(args, options);
  if (!said.ok) return said;
  return ok(Number(said.value.trim() || "0") <= fence ? tip.value : null);
}

/** Gets a reference of a remote, with all objects behind it; each is checked, and no reference is written. `known`:
 *  commits that are here, so that what is behind them is not sent again. */
export async function fetchCommit(
  { url, ref, known = [] }: { url: string; ref: string; known?: readonly string[] },
  options: GitOptions,
): Promise<Result<null, Failure>> {
  const tips = known.map((commit) => `--negotiation-tip=${commit}`);
  const args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", ...tips];
  const config = [
    ...(options.config ?? []),
    "fetch.fsckObjects=true",
    "fetch.writeCommitGraph=false",
    ...DURABLE,
  ];
  const fetched = await runGit([...args, "--", url, ref], { ...options, config });
  return fetched.ok ? ok(null) : fetched;
}

function noSnapshots(threadId: string): Failure {
  return failure("GIT_FAILED", `thread ${threadId} has no snapshots here`, "run a step first");
}
