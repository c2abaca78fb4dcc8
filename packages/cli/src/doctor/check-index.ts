import { existsSync } from "node:fs";
import { storagePaths } from "@uncaged/workflow-util";
import { type Check, fine, type Patient, wrong } from "./check.ts";

const NAME = "index";

/** The index is a sound SQLite database. Looked at read-only: a broken one is not touched further. */
export async function checkIndex({ root }: Patient): Promise<Check> {
  const { index: path } = storagePaths(root);
  if (!existsSync(path)) return fine(NAME, "no index.db yet: no thread was started");
  const { DatabaseSync } = await import("node:sqlite");
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      const found = db
        .prepare("PRAGMA quick_check")
        .all()
        .flatMap((row) => Object.values(row));
      if (found.length === 1 && found[0] === "ok") return fine(NAME, `${path} is sound`);
      return broken(path, found.map(String).join("; "));
    } finally {
      db.close();
    }
  } catch (cause) {
    return broken(path, cause instanceof Error ? cause.message : String(cause));
  }
}

function broken(path: string, reason: string): Check {
  return wrong(
    NAME,
    `${path} is damaged: ${reason}`,
    `stop every thread, keep a copy of ${path}*, and restore it from a backup`,
  );
}
