import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { readRegularFile, writeFileAtomic } from "@uncaged/workflow-util";
import type { Repository } from "../repository/find-repository.ts";
import type { OwnGit } from "./own-git.ts";

/** What our index was last aligned with: the user's index as it was then, configuration and excludes. Aligning costs as
 *  much as a snapshot does, so it is done only when one of them is another. */
export type AlignedWith = {
  /** Compared with what was kept last. Other rules: files may have to be read in another way, all of them. */
  last: () => Promise<"same" | "other index" | "other rules">;
  keep: () => Promise<void>;
  forget: () => Promise<void>;
};

const MAX_BYTES = 4096;

export async function alignedWith(own: OwnGit, repository: Repository): Promise<AlignedWith> {
  const path = join(own.scope.gitDir, "aligned");
  const index = await stat(join(repository.gitDir, "index"), { bigint: true }).catch(() => null);
  const seen =
    index === null ? "none" : `${index.ino} ${index.size} ${index.mtimeNs} ${index.ctimeNs}`;
  return {
    last: async () => {
      const kept = await readRegularFile(path, MAX_BYTES);
      const [rules, before] = kept.ok ? kept.value.toString().split("\n") : [];
      if (rules !== own.rules) return "other rules";
      return before === seen ? "same" : "other index";
    },
    keep: async () => {
      const data = `${own.rules}\n${seen}\n`;
      await writeFileAtomic({ path, data, mode: 0o600, existing: "replace" });
    },
    forget: () => rm(path, { force: true }),
  };
}
