import {
  type Failure,
  ok,
  type Result,
  type ThreadRecord,
  titleOf,
} from "@uncaged/workflow-protocol";
import { hasIndex, storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { printableLine } from "../terminal/printable.ts";
import { ago } from "../terminal/times.ts";
import type { NameList } from "./words.ts";

/** Nobody chooses from more. */
const MAX_THREADS = 200;

/** Enough to recognize it by, and short enough for two side by side. */
const TITLE_CHARS = 50;

type Named = { name: string; description: string };

/** Names in the storage root, one per line; a missing root has none. Creates nothing. `describe`: adds a description
 *  of each name after a tab. */
export async function listNames(
  { names: kind, describe }: { names: NameList; describe: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  const listed = await LISTS[kind](io, describe);
  if (!listed.ok) return listed;
  const lines = listed.value.map(({ name, description }) =>
    description === "" ? `${name}\n` : `${name}\t${description}\n`,
  );
  const names = listed.value.map(({ name }) => name);
  const document = describe ? { names, described: listed.value } : { names };
  return ok({ document, verbatim: lines.join("") });
}

const LISTS: {
  readonly [kind in NameList]: (io: Io, describe: boolean) => Promise<Result<Named[], Failure>>;
} = {
  workflows: workflowNames,
  threads: async (io, describe) => ok(await threads(io, describe)),
  schedules: async (io) => ok(await starters(io, "schedules")),
  triggers: async (io) => ok(await starters(io, "triggers")),
};

async function starters(io: Io, kind: "schedules" | "triggers"): Promise<Named[]> {
  const root = storageRoot(io.env);
  if (!hasIndex(root)) return [];
  const { openSchedules, openTriggers } = await import("../command/root-parts.ts");
  const opened = await (kind === "schedules" ? openSchedules(root) : openTriggers(root));
  const all = await opened.list().finally(() => opened.close());
  return all.map(({ name, plan }) => ({ name, description: plan.start.workflow }));
}

async function workflowNames(io: Io): Promise<Result<Named[], Failure>> {
  const { openRegistry } = await import("../command/open-registry.ts");
  const workflows = await openRegistry(storageRoot(io.env)).workflows();
  if (!workflows.ok) return workflows;
  return ok([...workflows.value.keys()].map((name) => ({ name, description: "" })));
}

/** The newest threads. */
async function threads(io: Io, describe: boolean): Promise<Named[]> {
  if (!hasIndex(storageRoot(io.env))) return [];
  // Loading the engine takes longer than listing workflow names.
  const { withEngine } = await import("../command/with-engine.ts");
  return withEngine(io, async (engine) => {
    const newest = await engine.store.list({ limit: MAX_THREADS });
    if (!describe) return newest.map(({ threadId }) => ({ name: threadId, description: "" }));
    return newest.map((thread) => ({
      name: thread.threadId,
      description: `${title(thread)} (${ago(thread.createdAt, io.now())})`,
    }));
  });
}

/** Its workflow's name where it has none of its own. */
function title(thread: ThreadRecord): string {
  return printableLine(titleOf(thread) ?? "", TITLE_CHARS) || thread.workflow;
}
