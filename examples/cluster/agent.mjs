/** Plays the three roles: each needs the files that the last one left, wherever that was, and says in a journal when it
 *  begins. The builder's report is too long for a row of the database. */
import { execFileSync } from "node:child_process";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const { UNCAGED_THREAD_ID: thread, UNCAGED_ROLE: role, UNCAGED_ROUND: round } = process.env;
const [, , journal, worker, workMs] = process.argv;
const LONG = 300_000;

appendFileSync(
  journal,
  `${JSON.stringify({ worker, thread, round: Number(round), atMs: Date.now() })}\n`,
);
await sleep(Number(workMs));
if (role === "planner") writeFileSync("plan.txt", `plan of ${thread}\n`);
if (role === "builder") {
  writeFileSync("part.txt", `${readFileSync("plan.txt", "utf8")}built\n`);
  const who = ["-c", "user.name=Builder", "-c", "user.email=builder@example.org"];
  execFileSync("git", [...who, "add", "-A"]);
  execFileSync("git", [...who, "commit", "--quiet", "-m", "build the part"]);
}
if (role === "checker") {
  const part = readFileSync("part.txt", "utf8");
  const commit = execFileSync("git", ["log", "-1", "--format=%s"], { encoding: "utf8" });
  if (part !== `plan of ${thread}\nbuilt\n` || commit !== "build the part\n") process.exit(1);
  writeFileSync("checked.txt", part);
}
const report = role === "builder" ? "word ".repeat(LONG / 5) : "as asked";
console.log(JSON.stringify({ status: "done", report }));
