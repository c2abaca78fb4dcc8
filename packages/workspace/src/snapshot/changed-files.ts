import { join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { runGit } from "../git/run-git.ts";

export type FileChange = {
  /** From the root of the work tree. Bytes that are not UTF-8 are replaced. */
  path: string;
  change: "added" | "deleted" | "modified";
};

const MAX_BYTES = 256 * 1024 * 1024;

/** Files in which two trees differ, sorted by path. */
export async function changedFiles(
  gitDir: string,
  {
    before,
    after,
    also,
  }: {
    before: string;
    after: string;
    /** Another git folder, which may have one of them. */
    also?: string;
  },
): Promise<Result<FileChange[], Failure>> {
  const alternates = also === undefined || also === gitDir ? [] : [join(also, "objects")];
  const scope = { gitDir, ...(alternates.length === 0 ? {} : { alternates }) };
  const args = ["diff-tree", "-r", "-z", "--no-renames", "--name-status", before, after, "--"];
  const run = await runGit(args, { scope, cwd: gitDir, maxBytes: MAX_BYTES });
  if (!run.ok) return run;
  const fields = run.value.split("\0");
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2)
    changes.push({ path: fields[at + 1] ?? "", change: CHANGES[fields[at] ?? ""] ?? "modified" });
  return ok(changes);
}

/** `T`, another type, and any other letter: modified. */
const CHANGES: Readonly<Record<string, FileChange["change"]>> = { A: "added", D: "deleted" };
