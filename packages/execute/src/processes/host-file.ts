/** The file in a storage root that names its host: the process that carries many threads (`@uncaged/workflow-host`).
 *
 *  The host writes it once it listens, and removes it when it ends. One that was killed leaves it behind, so the file
 *  counts only as long as the process that it names lives. */
import { readFileSync } from "node:fs";
import { type ProcessIdentity, parseJson } from "@uncaged/workflow-protocol";
import { livenessOf, storagePaths } from "@uncaged/workflow-util";

export type HostFile = {
  process: ProcessIdentity;
  /** When it began to listen, Unix milliseconds. */
  since: number;
  /** Path of the socket it listens on. */
  socket: string;
};

/** The host of a storage root; null: none is up, or the file is not ours to read. */
export function runningHost(root: string): HostFile | null {
  const host = parseHostFile(read(storagePaths(root).host));
  return host !== null && livenessOf(host.process) === "alive" ? host : null;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function parseHostFile(text: string): HostFile | null {
  const { process, since, socket }: Raw<HostFile> = Object(parseJson(text));
  const { pid, startedAt, bootId }: Raw<ProcessIdentity> = Object(process);
  if (typeof pid !== "number" || typeof startedAt !== "string") return null;
  if (typeof bootId !== "string" || typeof since !== "number") return null;
  return typeof socket === "string" ? { process: { pid, startedAt, bootId }, since, socket } : null;
}

type Raw<T> = Partial<Record<keyof T, unknown>>;
