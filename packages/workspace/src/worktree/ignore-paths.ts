import { existsSync } from "node:fs";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Repository } from "../repository/find-repository.ts";

/** Has git ignore what matches these patterns, in all worktrees of a repository, by `info/exclude`: no file of the
 *  user's is edited. */
export async function ignorePaths(
  { commonDir }: Pick<Repository, "commonDir">,
  patterns: readonly string[],
): Promise<void> {
  const file = join(commonDir, "info", "exclude");
  await mkdir(join(commonDir, "info"), { recursive: true });
  const text = existsSync(file) ? await readFile(file, "utf8") : "";
  const known = new Set(text.split(/\r?\n/));
  const missing = patterns.filter((pattern) => !known.has(pattern));
  if (missing.length === 0) return;
  const start = text === "" || text.endsWith("\n") ? "" : "\n";
  // One write to the end of the file: of two at a time, both lines get in.
  await appendFile(file, `${start}${missing.join("\n")}\n`);
}
