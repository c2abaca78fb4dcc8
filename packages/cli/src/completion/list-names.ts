import { existsSync } from "node:fs";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storagePaths, storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import type { NameList } from "./words.ts";

/** Nobody picks from more. */
const MAX_THREADS = 200;

/** Names of the storage root, one a line; what is not there has none. Makes nothing. */
export async function listNames(kind: NameList, io: Io): Promise<Result<Output, Failure>> {
  const names = kind === "workflows" ? await workflowNames(io) : ok(await threadIds(io));
  if (!names.ok) return names;
  const lines = names.value.map((name) => `${name}\n`).join("");
  return ok({ document: { names: names.value }, verbatim: lines });
}

async function workflowNames(io: Io): Promise<Result<string[], Failure>> {
  const { readRegistry } = await import("@uncaged/workflow-register");
  const registry = await readRegistry(storageRoot(io.env));
  return registry.ok ? ok([...registry.value.workflows.keys()]) : registry;
}

/** The newest threads. */
async function threadIds(io: Io): Promise<string[]> {
  if (!existsSync(storagePaths(storageRoot(io.env)).index)) return [];
  // The engine loads for longer than the names of workflows take.
  const { withEngine } = await import("../with-engine.ts");
  const { listThreads } = await import("@uncaged/workflow-execute");
  return withEngine(io, async (engine) => {
    const threads = await listThreads(engine, { limit: MAX_THREADS });
    return threads.map(({ threadId }) => threadId);
  });
}
