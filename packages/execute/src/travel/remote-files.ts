import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { type Failure, ok, type Result, unwrap } from "@uncaged/workflow-protocol";
import { makeFolderSync, storagePaths } from "@uncaged/workflow-util";
import { initBare, type ObjectFormat, runGit } from "@uncaged/workflow-workspace";
import type { NodeReader } from "../chain/read-node.ts";
import { lastFiles } from "./saved-files.ts";

export type RemoteFiles = {
  url: string;
  /** A repository from which it can be reached. */
  place: { commonDir: string; objectFormat: ObjectFormat };
};

/** The remote that has files of a thread; null: none has. Throws when the chain is damaged, and `GIT_FAILED`. */
export async function remoteFiles(
  cas: NodeReader,
  root: string,
  thread: { startHash: string; head: string },
): Promise<RemoteFiles | null> {
  const last = await lastFiles(cas, thread);
  const url = last?.saved.remote ?? null;
  if (last === null || url === null) return null;
  const { objectFormat, repository } = last;
  const commonDir =
    repository !== null && existsSync(repository)
      ? repository
      : unwrap(await cloneOf(root, { url, objectFormat }));
  return { url, place: { commonDir, objectFormat } };
}

/** Our bare repository for a remote on this machine, made if it is missing. Nothing is fetched. */
export async function cloneOf(
  root: string,
  { url, objectFormat }: { url: string; objectFormat: ObjectFormat },
): Promise<Result<string, Failure>> {
  const gitDir = storagePaths(root).clone(createHash("sha256").update(url).digest("hex"));
  makeFolderSync(dirname(gitDir));
  const made = await initBare(gitDir, objectFormat);
  if (!made.ok) return made;
  // For agents that fetch and push themselves.
  const config = ["config", "remote.origin.url", url];
  const named = await runGit(config, { scope: { gitDir }, cwd: gitDir });
  return named.ok ? ok(gitDir) : named;
}
