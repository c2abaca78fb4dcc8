/** What people do to triggers. */
import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { type Engine, startDepth } from "@uncaged/workflow-execute";
import { checkRule, checkTemplate } from "@uncaged/workflow-moderator";
import {
  err,
  type Failure,
  failure,
  type JsonObject,
  ok,
  type Result,
  type Trigger,
  type TriggerPlan,
  type Triggers,
  type WatchedFile,
} from "@uncaged/workflow-protocol";
import { newThreadId } from "@uncaged/workflow-util";
import { checkNew, findNamed, refusalOf } from "../names.ts";
import { threadStarter } from "../schedule/thread-starter.ts";
import { type Received, startForPayload } from "./receive-delivery.ts";
import { markOf, startForFile } from "./watch-folders.ts";

type Where = { engine: Engine; triggers: Triggers };

/** Files that are already in a watched folder are left alone. `USAGE` for an invalid name or prompt,
 *  `RULE_INVALID`, `WORKFLOW_NOT_FOUND`, `TARGET_EXISTS`. */
export async function addTrigger(
  { engine, triggers }: Where,
  { name, plan }: { name: string; plan: TriggerPlan },
): Promise<Result<Trigger, Failure>> {
  const { source, start } = plan;
  const checked = await checkNew(engine, { name, workflow: start.workflow });
  if (!checked.ok) return checked;
  const fault = checkTemplate(start.prompt) ?? filterFault(plan);
  if (fault !== null) return err(fault);
  if (source.kind === "watch" && !/\{\{[^}]*\b(?:path|name)\b/.test(start.prompt))
    return err(
      failure(
        "USAGE",
        "the prompt does not say which file it is about",
        "write {{ path }} where the file's path belongs, or {{ name }}",
      ),
    );
  const trigger = { name, plan, createdAt: engine.now() };
  const known = source.kind === "watch" ? await filesIn(source.folder) : [];
  const refusal = await refusalOf(triggers.add(trigger, known));
  return refusal === null ? ok({ ...trigger, pausedAt: null }) : err(refusal);
}

function filterFault({ source }: TriggerPlan): Failure | null {
  return source.kind === "webhook" && source.filter !== null ? checkRule(source.filter) : null;
}

async function filesIn(folder: string): Promise<Pick<WatchedFile, "file" | "mark">[]> {
  const files: Pick<WatchedFile, "file" | "mark">[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const mark = await markOf(folder, entry);
    if (mark !== null) files.push({ file: entry.name, mark });
  }
  return files;
}

/** `TRIGGER_NOT_FOUND`. */
export function findTrigger(
  triggers: Pick<Triggers, "get" | "list">,
  name: string,
): Promise<Result<Trigger, Failure>> {
  return findNamed("trigger", triggers, name);
}

/** The trigger starts nothing until it is resumed. Files wait; deliveries are refused. */
export async function pauseTrigger(
  { engine, triggers }: Where,
  name: string,
): Promise<Result<Trigger, Failure>> {
  await triggers.pause({ name, nowMs: engine.now() });
  return findTrigger(triggers, name);
}

export async function resumeTrigger(
  { triggers }: Where,
  name: string,
): Promise<Result<Trigger, Failure>> {
  await triggers.resume(name);
  return findTrigger(triggers, name);
}

export async function removeTrigger(
  { triggers }: Where,
  name: string,
): Promise<Result<Trigger, Failure>> {
  const found = await findTrigger(triggers, name);
  if (found.ok) await triggers.remove(name);
  return found;
}

/** Starts its thread by hand: for a file, or for a payload as if it had been delivered, filter included. A new thread
 *  each time. `asker`: the thread whose step asks; null: none. */
export async function runTrigger(
  { engine, asker }: { engine: Engine; asker: string | null },
  planned: Trigger,
  given: { file: string } | { payload: JsonObject; event: string | null },
): Promise<Result<Received, Failure>> {
  const { start } = planned.plan;
  const depth = await startDepth(engine, { starter: asker, workflow: start.workflow });
  if (!depth.ok) return depth;
  const deeper = { ...start, depth: Math.max(start.depth ?? 0, depth.value) };
  const trigger = { ...planned, plan: { ...planned.plan, start: deeper } };
  const starter = threadStarter(engine, new AbortController().signal);
  const delivery = newThreadId(engine.now());
  const key = `trigger ${trigger.name} ${trigger.createdAt} by hand ${delivery}`;
  if ("payload" in given) return startForPayload(starter, trigger, { ...given, delivery, key });
  const started = await startForFile(starter, trigger, {
    path: given.file,
    name: basename(given.file),
    key,
  });
  return started.ok ? ok({ kind: "started", threadId: started.value }) : started;
}
