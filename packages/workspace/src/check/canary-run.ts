/** Whether the command tests anything: with a test that must fail it has to fail.
 *
 *  1. A canary is added to each file of tests. The command has to fail, and each canary to reach its end: one that does
 *     not shares its process with code that ends the process, or that keeps assertions from failing.
 *  2. A runner may stop at the first failure. So canaries that did not reach their end are tried again, this time
 *     without failing.
 *  3. A runner may not take up every file that looks like tests. Files that contain nothing but a canary tell which it
 *     takes up; only those count. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type CanaryFile, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Canary } from "./canary-presets.ts";
import type { Checkout } from "./checkout.ts";
import { type Planting, plantCanaries } from "./plant-canaries.ts";
import type { CommandEnd } from "./run-command.ts";
import type { Scratch } from "./scratch.ts";

/** Runs the command in a fresh checkout of a tree, changed by `prepare`, which returns how to look at it afterwards. */
export type RunIn = <T>(
  tree: string,
  prepare: (checkout: Checkout) => Promise<Result<() => Promise<T>, Failure>>,
) => Promise<Result<{ end: CommandEnd; seen: T }, Failure>>;

export type CanaryVerdict = {
  end: CommandEnd;
  /** Null: what must fail did. */
  problem: string | null;
};

export type CanaryTask = {
  tree: string;
  /** Tells which files are taken up where `canary.reference` is `added`. */
  base: string;
  /** It is enough when one canary reaches its end. */
  anyOne: boolean;
};

export async function canaryRun(
  scratch: Scratch,
  canary: Canary,
  { tree, base, anyOne, run }: CanaryTask & { run: RunIn },
): Promise<Result<CanaryVerdict, Failure>> {
  const reach: Reach = async (how) => {
    const ran = await run(how.tree, async (checkout) => {
      const planted = await plantCanaries(scratch, canary, { ...how, checkout });
      if (!planted.ok) return planted;
      const { paths, reached } = planted.value;
      return ok(async () => ({ planted: paths, reached: new Set(await reached()) }));
    });
    return ran.ok ? ok({ end: ran.value.end, ...ran.value.seen }) : ran;
  };
  const first = await attempt(reach, { tree, anyOne, only: null });
  if (!first.ok || first.value.never.length === 0) return first;
  const alone = canary.reference === "alone";
  const known = await reach({ tree: alone ? tree : base, alone, fails: false, only: null });
  if (!known.ok) return known;
  const { planted, reached } = known.value;
  // None: that tells nothing, for example because the base cannot be compiled.
  if (reached.size === 0 || reached.size === planted.length) return first;
  return attempt(reach, { tree, anyOne, only: reached });
}

type Reach = (how: Planting) => Promise<Result<Reached, Failure>>;
type Reached = { end: CommandEnd; planted: readonly string[]; reached: ReadonlySet<string> };
type Attempt = CanaryVerdict & { never: readonly string[] };

async function attempt(
  reach: Reach,
  { tree, only, anyOne }: Pick<CanaryTask, "tree" | "anyOne"> & Pick<Planting, "only">,
): Promise<Result<Attempt, Failure>> {
  const failing = await reach({ tree, only, alone: false, fails: true });
  if (!failing.ok) return failing;
  const { end, planted, reached } = failing.value;
  if (planted.length === 0) return ok({ end, problem: NO_TESTS, never: [] });
  if (end.exitCode === 0) return ok({ end, problem: STAYED_GREEN, never: [] });
  const left = planted.filter((path) => !reached.has(path));
  if (left.length === 0 || (anyOne && reached.size > 0))
    return ok({ end, problem: null, never: [] });
  const again = await reach({ tree, only: new Set(left), alone: false, fails: false });
  if (!again.ok) return again;
  const never = left.filter((path) => !again.value.reached.has(path));
  if (never.length === 0 || (anyOne && never.length < planted.length))
    return ok({ end, problem: null, never: [] });
  return ok({ end: again.value.end, problem: notReached(never), never });
}

/** The same with a file of the author's. */
export async function ownCanaryRun(
  { path, content }: CanaryFile,
  { tree, run }: { tree: string; run: RunIn },
): Promise<Result<CanaryVerdict, Failure>> {
  const ran = await run(tree, async ({ files }) => {
    await mkdir(dirname(join(files, path)), { recursive: true });
    await writeFile(join(files, path), content);
    return ok(async () => null);
  });
  if (!ran.ok) return ran;
  const { end } = ran.value;
  return ok({ end, problem: end.exitCode === 0 ? STAYED_GREEN : null });
}

const STAYED_GREEN = "with a test that must fail it still succeeds, so it tests nothing";
const NO_TESTS = "no file of tests was found to which a test that must fail could be added";

function notReached(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(", ");
  return `a test that must fail, added to ${shown}${paths.length > 5 ? " and others" : ""}, does not run to its end or fails no assertion`;
}
