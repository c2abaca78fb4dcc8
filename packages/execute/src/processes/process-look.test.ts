import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import { ownIdentity } from "@uncaged/workflow-util";
import { afterEach, expect, test } from "vitest";
import { startGuard } from "./guard.ts";
import { lookForProcesses } from "./process-look.ts";

const THREAD = `01M7Z${String(process.pid).padStart(21, "0")}`;
const NOW_MS = 1_000;
const unchanged = { threadId: THREAD, updatedAt: NOW_MS - 1 };

let agent: ChildProcess | null = null;
afterEach(() => {
  agent?.kill("SIGKILL");
});

test("finds nothing for a thread without processes", () => {
  expect(lookForProcesses(NOW_MS).mayHaveProcesses(unchanged)).toBe(false);
});

test("something may run for a thread that changed since", () => {
  const look = lookForProcesses(NOW_MS);
  expect(look.mayHaveProcesses({ ...unchanged, updatedAt: NOW_MS })).toBe(true);
});

test.each([`${THREAD}:3:x`, `${THREAD}/runner:x`])("sees a process tagged %s", async (tag) => {
  agent = spawn("sh", ["-c", "echo up; exec sleep 1000"], {
    env: { ...process.env, [PROCESS_TAG_ENV]: tag },
  });
  if (agent.stdout !== null) await once(agent.stdout, "data");
  const look = lookForProcesses(NOW_MS);
  expect(look.mayHaveProcesses(unchanged)).toBe(true);
  const other = { ...unchanged, threadId: THREAD.replace("Z", "Y") };
  expect(look.mayHaveProcesses(other)).toBe(false);
});

test("sees the guard of an owner that has nothing else", () => {
  const times = { acquiredAt: 0, heartbeatAt: 0, expiresAt: 0 };
  const guard = startGuard({ threadId: THREAD, fence: 1, process: ownIdentity(), ...times });
  const look = lookForProcesses(NOW_MS);
  guard.dismiss();
  expect(look.mayHaveProcesses(unchanged)).toBe(true);
});
