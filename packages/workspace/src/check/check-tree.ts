/** The runs of a check.
 *
 *  1. The clean run: the tree in a checkout, with a repository, a home and an environment of our own.
 *  2. The controlled run: the same with the controls of the base. Only when a control changed.
 *  3. The canary: the same with a test that must fail, with the controls that count; when a control changed, also in
 *     the tree as it is, which is the one that gets in.
 *  4. Each run has a checkout to itself, all its processes are ended, and then its files are compared with the tree. */
import {
  type CheckEvidence,
  type CheckFault,
  type CheckRun,
  type Failure,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { canaryRun, ownCanaryRun } from "./canary-run.ts";
import { changedControls } from "./changed-controls.ts";
import { type CheckFrame, identityOf, placesFor } from "./check-frame.ts";
import { chooseCanary } from "./choose-canary.ts";
import { dependenciesOf } from "./dependencies.ts";
import type { CheckOptions } from "./run-check.ts";
import type { CommandOptions } from "./run-command.ts";
import { type CheckRuns, checkRuns, recorded } from "./run-on.ts";
import type { Scratch } from "./scratch.ts";
import { verdictOf } from "./verdict.ts";

const MOST_CONTROLS = 1_000;

export async function checkTree(
  scratch: Scratch,
  options: CheckOptions,
  frame: CheckFrame,
): Promise<Result<CheckEvidence, Failure>> {
  const { tree, base, check: rule } = options;
  const controls = await changedControls(scratch, { tree, base, protect: rule.protect });
  if (!controls.ok) return controls;
  const { paths, restored, links } = controls.value;
  const runs = await runsOf(scratch, { options, frame, links });
  if (!runs.ok) return runs;
  const clean = await runs.value.whole(tree);
  if (!clean.ok) return clean;
  const isClean = clean.value.faults.length === 0;
  const controlled = isClean && restored !== tree ? await runs.value.whole(restored) : ok(null);
  if (!controlled.ok) return controlled;
  const counts = (controlled.value?.faults ?? []).length === 0 ? restored : tree;
  const canary = isClean
    ? await canaries(scratch, { options, runs: runs.value, counts })
    : ok({ run: null, faults: [] });
  if (!canary.ok) return canary;
  return ok({
    check: 1,
    tree,
    base,
    command: rule.command,
    environment: identityOf(options, frame).environment,
    isolation: frame.isolation,
    controls: paths.slice(0, MOST_CONTROLS),
    clean: clean.value.run,
    controlled: controlled.value?.run ?? null,
    canary: canary.value.run,
    ...verdictOf({
      rule,
      controls: paths,
      controlled: controlled.value,
      faults: [...clean.value.faults, ...canary.value.faults],
    }),
  });
}

async function runsOf(
  scratch: Scratch,
  { options, frame, links }: { options: CheckOptions; frame: CheckFrame; links: readonly string[] },
): Promise<Result<CheckRuns, Failure>> {
  const { check: rule, base, cache, repository, places, tag, signal } = options;
  const run: CommandOptions = {
    ...placesFor(rule, places),
    ...frame,
    hidden: [repository.workTree],
    kept: [...scratch.objects, `${scratch.gitDir}/objects`],
    tag,
    signal,
  };
  const { setup } = rule;
  const installed =
    setup === undefined ? ok(null) : await dependenciesOf(scratch, { base, setup, cache, run });
  if (!installed.ok) return installed;
  return ok(checkRuns(scratch, { rule, run, dependencies: installed.value, links }));
}

type CanarySeen = { run: CheckRun | null; faults: CheckFault[] };

/** First in the tree with the controls that count, then in the tree as it is: there, tests may have moved, and it is
 *  enough that one of them fails. */
async function canaries(
  scratch: Scratch,
  { options, runs, counts }: { options: CheckOptions; runs: CheckRuns; counts: string },
): Promise<Result<CanarySeen, Failure>> {
  const { tree, base, check: rule } = options;
  const chosen = await chooseCanary(scratch, { rule, base });
  if (!chosen.ok) return chosen;
  const canary = chosen.value;
  if (canary === null) return ok({ run: null, faults: [] });
  let first: CheckRun | null = null;
  for (const subject of new Set([counts, tree])) {
    const task = { tree: subject, base, anyOne: subject !== counts, run: runs.prepared };
    const ran =
      "own" in canary
        ? await ownCanaryRun(canary.own, task)
        : await canaryRun(scratch, canary.runner, task);
    if (!ran.ok) return ran;
    const run = recorded(subject, ran.value.end);
    first ??= run;
    if (ran.value.problem === null) continue;
    const message = `${rule.command.join(" ")}: ${ran.value.problem}`;
    return ok({ run, faults: [{ kind: "nothing_tested", message }] });
  }
  return ok({ run: first, faults: [] });
}
