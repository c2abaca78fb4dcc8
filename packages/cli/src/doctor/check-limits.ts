import { existsSync } from "node:fs";
import { queuedThreads, runningHost } from "@uncaged/workflow-execute";
import type { RootLimits } from "@uncaged/workflow-protocol";
import { type Registry, readRegistry } from "@uncaged/workflow-register";
import { storagePaths } from "@uncaged/workflow-util";
import { count } from "../command/count.ts";
import { withEngine } from "../command/with-engine.ts";
import { printableLine } from "../terminal/printable.ts";
import { type Check, type DoctorContext, doubtful, fine } from "./check.ts";

const NAME = "limits";

/** Checks that what `config.limits` limits exists, and that somebody starts what is queued. */
export async function checkLimits({ root, env }: DoctorContext): Promise<Check> {
  const registry = await readRegistry(root);
  // Another check reports an unreadable configuration.
  if (!registry.ok) return fine(NAME, "none");
  const { limits } = registry.value.settings;
  const doubts = idleLimits(registry.value, limits);
  const { registry: file, index } = storagePaths(root);
  if (doubts.length > 0)
    return doubtful(
      NAME,
      doubts.join("; "),
      `correct config.limits in ${file}, or add what it names`,
    );
  const queued = existsSync(index)
    ? await withEngine({ env }, async (engine) => (await queuedThreads(engine)).length)
    : 0;
  if (queued > 0 && runningHost(root) === null) {
    const message = `${count(queued, "thread")} queued, and no host is up to start them`;
    return doubtful(NAME, message, "uncaged-workflow up");
  }
  const all = numberOf(limits);
  return fine(
    NAME,
    `${all === 0 ? "none" : count(all, "limit")}; ${count(queued, "thread")} queued`,
  );
}

/** Limits that hold nothing back. */
function idleLimits({ workflows }: Pick<Registry, "workflows">, limits: RootLimits): string[] {
  const strange = Object.keys(limits.workflows).filter((name) => !workflows.has(name));
  const unused = Object.entries(limits.providers).filter(([, { agents }]) => agents.length === 0);
  return [
    ...strange.map((name) => {
      const shown = printableLine(name, 60);
      return `config.limits.workflows.${shown}: no workflow is registered as ${shown}`;
    }),
    ...unused.map(
      ([name]) =>
        `config.limits.providers.${printableLine(name, 60)}: no agent is known to call it; name those that do under agents`,
    ),
  ];
}

function numberOf({ threads, workflows, agents, providers, budgetPerDay }: RootLimits): number {
  const named = [workflows, agents, providers].flatMap(Object.keys).length;
  return named + [threads, budgetPerDay].filter((each) => each !== null).length;
}
