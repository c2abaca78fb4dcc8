import { statSync } from "node:fs";
import { resolve } from "node:path";
import {
  findTrigger,
  pauseTrigger,
  payloadIn,
  removeTrigger,
  resumeTrigger,
  runTrigger,
} from "@uncaged/workflow-host";
import {
  err,
  type Failure,
  failure,
  type JsonObject,
  ok,
  type Result,
  type Trigger,
} from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { readTextFile } from "../command/read-text.ts";
import { threadOfStep } from "../command/thread-of-step.ts";
import { withTriggers } from "./with-triggers.ts";

export async function pause(name: string, io: Io): Promise<Result<Output, Failure>> {
  const paused = await withTriggers(io, (at) => pauseTrigger(at, name));
  return said(
    paused,
    () => `${name} is paused; continue with: uncaged-workflow trigger resume ${name}`,
  );
}

export async function resume(name: string, io: Io): Promise<Result<Output, Failure>> {
  const resumed = await withTriggers(io, (at) => resumeTrigger(at, name));
  return said(resumed, () => `${name} goes on`);
}

export async function remove(name: string, io: Io): Promise<Result<Output, Failure>> {
  const removed = await withTriggers(io, (at) => removeTrigger(at, name));
  return said(removed, () => `${name} is removed; its threads stay`);
}

export async function runNow(
  { name, file, event }: { name: string; file: string; event: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  const path = resolve(io.cwd, file);
  return withTriggers(io, async (at) => {
    const found = await findTrigger(at.triggers, name);
    if (!found.ok) return found;
    const given =
      found.value.plan.source.kind === "watch" ? fileAt(path) : await payloadAt(path, event);
    if (!given.ok) return given;
    const run = await runTrigger({ ...at, asker: threadOfStep(io.env) }, found.value, given.value);
    if (!run.ok) return run;
    const started = run.value;
    return ok({
      document: { threadId: started.kind === "started" ? started.threadId : null },
      human: () =>
        started.kind === "started" ? started.threadId : "the filter does not let it pass",
    });
  });
}

function fileAt(file: string): Result<{ file: string }, Failure> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile()) return ok({ file });
  return err(failure("FILE_NOT_FOUND", `${JSON.stringify(file)} is not a file`, "check the path"));
}

async function payloadAt(
  path: string,
  event: string | null,
): Promise<Result<{ payload: JsonObject; event: string | null }, Failure>> {
  const payload = payloadIn(Buffer.from(await readTextFile(path)));
  return payload === null ? err(noPayload(path)) : ok({ payload, event });
}

function noPayload(file: string): Failure {
  return failure(
    "PAYLOAD_INVALID",
    `${JSON.stringify(file)} is no JSON object`,
    "give a file that contains a payload as it would be delivered",
  );
}

function said(changed: Result<Trigger, Failure>, words: () => string): Result<Output, Failure> {
  if (!changed.ok) return changed;
  const { name, pausedAt } = changed.value;
  return ok({ document: { name, pausedAt }, human: words });
}
