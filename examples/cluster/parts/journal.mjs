import { existsSync, readFileSync } from "node:fs";

/** What agents wrote when they began: worker, thread, round, time. A line that is being written is left out. */
export function readJournal(path) {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}
