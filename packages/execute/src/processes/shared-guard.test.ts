import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTagged, killTagged } from "@uncaged/workflow-util";
import { afterEach, beforeEach, expect, it } from "vitest";

const MODULE = new URL("../../dist/processes/shared-guard.js", import.meta.url).href;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "shared-guard-"));
});
afterEach(async () => {
  await killTagged({ tag: ["GUARDED:1", "ENDED:1"], graceMs: 0 });
  await rm(folder, { recursive: true, force: true });
});

it("ends what a killed process had started for the leases that it still had", async () => {
  const script = join(folder, "owner.mjs");
  await writeFile(
    script,
    `import { spawn } from "node:child_process";
import { sharedGuard } from ${JSON.stringify(MODULE)};
const guard = sharedGuard();
const lease = (threadId) => ({ threadId, fence: 1 });
const agent = (tag) => spawn("sleep", ["600"], { detached: true, stdio: "ignore", env: { ...process.env, UNCAGED_RUN_MARK: tag } });
const first = guard(lease("ENDED"));
guard(lease("GUARDED"));
agent("ENDED:1:a");
first.dismiss();
// Last: the owner is killed as soon as it is seen.
agent("GUARDED:1:b");
setInterval(() => {}, 1000);`,
  );
  const owner = spawn(process.execPath, [script], { stdio: "ignore" });
  await expect.poll(() => findTagged("GUARDED:1").length, { timeout: 30_000 }).toBe(1);
  await expect.poll(() => findTagged("ENDED:1").length, { timeout: 30_000 }).toBe(1);
  owner.kill("SIGKILL");
  await expect.poll(() => findTagged("GUARDED:1").length, { timeout: 30_000 }).toBe(0);
  expect(findTagged("ENDED:1")).toHaveLength(1);
});
