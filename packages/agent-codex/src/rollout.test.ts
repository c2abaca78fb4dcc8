import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { rollout } from "./rollout.ts";

const THREAD = "01a20367-fa08-78c2-ac29-57103f8cd405";
let sessions = "";
beforeEach(() => {
  sessions = mkdtempSync(join(tmpdir(), "rollout-"));
});
afterEach(() => rmSync(sessions, { recursive: true, force: true }));

/** As Codex 0.169 writes it. */
function wrote(...commands: { line: string; cwd: string; exit?: number }[]): void {
  const folder = join(sessions, "2026", "11", "22");
  mkdirSync(folder, { recursive: true });
  const lines = commands.map(({ line, cwd, exit = 0 }) => ({
    type: "event_msg",
    payload: {
      type: "item_completed",
      item: { type: "CommandExecution", command: ["/bin/bash", "-c", line], cwd, exit_code: exit },
    },
  }));
  const text = [{ type: "session_meta" }, ...lines].map((each) => `${JSON.stringify(each)}\n`);
  writeFileSync(join(folder, `rollout-2026-11-22T13-17-55-${THREAD}.jsonl`), text.join(""));
}

const ran = (line: string) => ({ command: `/bin/bash -c '${line}'`, exit_code: 0 });

it("reports where each command ran, in the order in which they ended", async () => {
  wrote({ line: "npm test", cwd: "file:///fake" }, { line: "npm test", cwd: "file:///w" });
  const { directoryOf } = rollout(sessions);
  expect(await directoryOf(THREAD, ran("npm test"))).toBe("/fake");
  expect(await directoryOf(THREAD, ran("npm test"))).toBe("/w");
});

it("does not report commands before this turn", async () => {
  wrote({ line: "npm test", cwd: "file:///w" });
  const told = rollout(sessions);
  await told.skip(THREAD);
  expect(await told.directoryOf(THREAD, ran("npm test"))).toBeNull();
});

it("reports nothing when nothing was written", async () => {
  expect(await rollout(join(sessions, "none")).directoryOf(THREAD, ran("npm test"))).toBeNull();
  expect(await rollout(sessions).directoryOf(null, ran("npm test"))).toBeNull();
});
