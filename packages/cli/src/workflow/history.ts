import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { registered } from "./registered.ts";
import { versionTable } from "./version-table.ts";

export async function history(name: string, io: Io): Promise<Result<Output, Failure>> {
  const entry = await registered(storageRoot(io.env), name);
  if (!entry.ok) return entry;
  const { hash, timestamp } = entry.value;
  const before = entry.value.history.map((version) => ({
    hash: version.hash,
    timestamp: version.timestamp,
  }));
  return ok({
    document: { name, hash, history: before },
    human: (style) => versionTable([{ hash, timestamp }, ...before], { style, nowMs: io.now() }),
  });
}
