import {
  type CheckFault,
  type CheckRule,
  type CheckRun,
  type Failure,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";
import type { RunIn } from "./canary-run.ts";
import { type Checkout, checkOut } from "./checkout.ts";
import type { Dependencies } from "./dependencies.ts";
import { outwardLinks } from "./outward-links.ts";
import { pathspec } from "./protected-files.ts";
import { type CommandEnd, type CommandOptions, runCommand } from "./run-command.ts";
import type { Scratch } from "./scratch.ts";

export type CheckRuns = {
  /** One run on a tree as it is. */
  whole(tree: string): Promise<Result<SeenRun, Failure>>;
  /** One run on a tree that was prepared. */
  prepared: RunIn;
};

type SeenRun = { run: CheckRun; faults: CheckFault[] };

const MOST_CHANGED = 100;

export function checkRuns(
  scratch: Scratch,
  {
    rule,
    run,
    dependencies,
    links,
  }: {
    rule: CheckRule;
    run: CommandOptions;
    dependencies: Dependencies | null;
    /** Links that are to stay inside. */
    links: readonly string[];
  },
): CheckRuns {
  const command = rule.command.join(" ");
  const inCheckout = async <T>(
    tree: string,
    use: (checkout: Checkout) => Promise<Result<T, Failure>>,
  ): Promise<Result<T, Failure>> => {
    const checkout = await checkOut(scratch, tree);
    if (!checkout.ok) return checkout;
    try {
      return await use(checkout.value);
    } finally {
      await checkout.value.remove();
    }
  };
  return {
    whole: (tree) =>
      inCheckout(tree, async (checkout) => {
        // Before anything is written: a link could lead it out of the checkout.
        const outward = await outwardLinks(checkout.files, links);
        if (outward.length > 0) return ok(notRun(tree, linkOutside(outward)));
        await dependencies?.into(checkout.files);
        const before = dependencies === null ? ok([]) : await checkout.changed();
        if (!before.ok) return before;
        const end = await runCommand(rule.command, checkout, run);
        const after = await checkout.changed();
        if (!after.ok) return after;
        const fresh = after.value.filter((path) => !before.value.includes(path));
        const changed = await forbidden(scratch, { tree, paths: fresh, writes: rule.writes ?? [] });
        if (!changed.ok) return changed;
        return ok({
          run: recorded(tree, end, changed.value),
          faults: [...failed(command, end), ...filesChanged(command, changed.value)],
        });
      }),
    prepared: (tree, prepare) =>
      inCheckout(tree, async (checkout) => {
        await dependencies?.into(checkout.files);
        const look = await prepare(checkout);
        if (!look.ok) return look;
        const end = await runCommand(rule.command, checkout, run);
        return ok({ end, seen: await look.value() });
      }),
  };
}

export function recorded(tree: string, end: CommandEnd, changed: readonly string[] = []): CheckRun {
  return { tree, ...end, changed: changed.slice(0, MOST_CHANGED) };
}

function notRun(tree: string, fault: CheckFault): SeenRun {
  const end = { exitCode: null, timedOut: false, durationMs: 0, output: "" };
  return { run: recorded(tree, end), faults: [fault] };
}

/** Those of the paths that the rule does not let the command change. */
async function forbidden(
  scratch: Scratch,
  { tree, paths, writes }: { tree: string; paths: readonly string[]; writes: readonly string[] },
): Promise<Result<readonly string[], Failure>> {
  if (paths.length === 0 || writes.length === 0) return ok(paths);
  const scope = scratch.scope(await scratch.put(null));
  const cwd = scratch.folder;
  const id = "1".repeat(tree.length);
  const input = paths.map((path) => `100644 ${id}\t${path}\0`).join("");
  const put = await runGit(["update-index", "-z", "--index-info"], { scope, cwd, input });
  if (!put.ok) return put;
  const listed = await runGit(["ls-files", "-z", "--", ...writes.map(pathspec)], { scope, cwd });
  if (!listed.ok) return listed;
  const allowed = new Set(listed.value.split("\0"));
  return ok(paths.filter((path) => !allowed.has(path)));
}

function failed(command: string, { exitCode, timedOut }: CommandEnd): CheckFault[] {
  if (exitCode === 0 && !timedOut) return [];
  const how = timedOut
    ? "did not end in time"
    : exitCode === null
      ? "was ended by a signal"
      : `exited with ${exitCode}`;
  return [
    { kind: "command_failed", message: `${command} ${how} in a clean checkout of the files` },
  ];
}

function filesChanged(command: string, paths: readonly string[]): CheckFault[] {
  if (paths.length === 0) return [];
  return [
    {
      kind: "files_changed",
      message: `${command} changed ${someOf(paths)}, so that it did not check the files as they are`,
    },
  ];
}

function linkOutside(paths: readonly string[]): CheckFault {
  return {
    kind: "link_outside",
    message: `${someOf(paths)}: a symbolic link leads out of the repository`,
  };
}

/** The first five of them. */
export function someOf(paths: readonly string[]): string {
  const more = paths.length - 5;
  return paths.slice(0, 5).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
