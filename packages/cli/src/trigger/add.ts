import { resolve } from "node:path";
import { runningHost, startDepth } from "@uncaged/workflow-execute";
import { addTrigger as add, newSecret } from "@uncaged/workflow-host";
import { type Failure, ok, type Result, type TriggerSource } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { threadOfStep } from "../command/thread-of-step.ts";
import { workingFolder } from "../command/working-folder.ts";
import { readStart, type TypedStart } from "../thread/start/planned-start.ts";
import { missing, sourceText } from "./trigger-text.ts";
import { withTriggers } from "./with-triggers.ts";

export type AddOptions = {
  name: string;
  /** null: a webhook. */
  folder: string | null;
  filter: string | null;
  start: TypedStart;
};

export async function addTrigger(
  { name, folder, filter, start: typed }: AddOptions,
  io: Io,
): Promise<Result<Output, Failure>> {
  const source: TriggerSource =
    folder === null
      ? { kind: "webhook", secret: newSecret(), filter }
      : { kind: "watch", folder: workingFolder(resolve(io.cwd, folder), "--watch") };
  const start = await readStart(typed, io);
  return withTriggers(io, async (at) => {
    const depth = await startDepth(at.engine, { ...start, starter: threadOfStep(io.env) });
    if (!depth.ok) return depth;
    const planned = { ...start, depth: depth.value };
    const added = await add(at, { name, plan: { source, start: planned } });
    if (!added.ok) return added;
    const isHosted = runningHost(at.engine.root) !== null;
    const notes = missing(source, isHosted);
    const secret = source.kind === "webhook" ? { secret: source.secret } : {};
    return ok({
      document: { name, ...secret, hosted: isHosted, notes },
      human: () => {
        const lines = [`${name} starts ${start.workflow} for: ${sourceText(source)}`];
        if ("secret" in secret) lines.push(`secret, shown this once: ${secret.secret}`);
        return [...lines, ...notes].join("\n");
      },
    });
  });
}
