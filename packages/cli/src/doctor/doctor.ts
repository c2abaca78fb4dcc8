import { EXIT, failureFrom, type Ok, ok } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { printable } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { type Check, type DoctorContext, wrong } from "./check.ts";
import { checkAccess } from "./check-access.ts";
import { checkAgents } from "./check-agents.ts";
import { checkBindings } from "./check-bindings.ts";
import { checkBundles, checkExternals } from "./check-bundles.ts";
import { checkConfiguration } from "./check-configuration.ts";
import { checkIndex } from "./check-index.ts";
import { checkLeftovers } from "./check-leftovers.ts";
import { checkLimits } from "./check-limits.ts";
import { checkModels } from "./check-models.ts";
import { checkNotify } from "./check-notify.ts";
import { checkGit, checkNode } from "./check-programs.ts";
import { checkRoot } from "./check-root.ts";
import { checkSandbox } from "./check-sandbox.ts";
import { checkServer } from "./check-server.ts";
import { checkTasks } from "./check-tasks.ts";
import { checkThreads } from "./check-threads.ts";
import { checkWorkers } from "./check-workers.ts";
import { checkWorktrees } from "./check-worktrees.ts";

/** In the order in which to fix: a check comes after the checks of what it needs. */
const CHECKS: { readonly [name: string]: (context: DoctorContext) => Check | Promise<Check> } = {
  node: checkNode,
  git: checkGit,
  storage: checkRoot,
  access: checkAccess,
  configuration: checkConfiguration,
  server: checkServer,
  index: checkIndex,
  bundles: checkBundles,
  packages: checkExternals,
  models: checkModels,
  agents: checkAgents,
  sandbox: checkSandbox,
  bindings: checkBindings,
  threads: checkThreads,
  limits: checkLimits,
  workers: checkWorkers,
  tasks: checkTasks,
  notify: checkNotify,
  leftovers: checkLeftovers,
  worktrees: checkWorktrees,
};

/** Checks everything and changes nothing. Exit code 1 when something is wrong. */
export async function examine(io: Pick<Io, "env" | "now">): Promise<Ok<Output>> {
  const context = { root: storageRoot(io.env), env: io.env, nowMs: io.now() };
  const checks: Check[] = [];
  for (const [name, look] of Object.entries(CHECKS))
    checks.push(await looked(name, () => look(context)));
  const healthy = checks.every((check) => check.ok);
  return ok({
    document: { ok: healthy, checks },
    human: (style) => text(checks, style),
    exitCode: healthy ? EXIT.success : EXIT.failure,
  });
}

/** A check that breaks has found something too. */
async function looked(name: string, look: () => Check | Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (thrown) {
    const { message, hint } = failureFrom(thrown, "INTERNAL");
    return wrong(
      name,
      message,
      hint === "" ? "fix the problems above first, then check again" : hint,
    );
  }
}

function text(checks: readonly Check[], style: Style): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, ok: healthy, message, fix }) => {
    const good = fix === null ? style.green("ok  ") : style.yellow("warn");
    const mark = healthy ? good : style.red("FAIL");
    const line = `${mark} ${name.padEnd(width)}  ${printable(message)}`;
    return fix === null
      ? [line]
      : [line, `     ${" ".repeat(width)}  ${style.cyan("fix:")} ${printable(fix)}`];
  });
  const wrongs = checks.filter((check) => !check.ok).length;
  return [
    ...lines,
    "",
    wrongs === 0
      ? "Nothing is wrong."
      : `${wrongs} of ${checks.length} checks found something wrong.`,
  ].join("\n");
}
