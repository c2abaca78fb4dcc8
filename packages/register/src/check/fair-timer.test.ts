import { spawn } from "node:child_process";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fairTimer, waitedMs } from "./fair-timer.ts";

/** Wall-clock time until the timer for one of our programs fired. */
async function timeFor(script: string, limits: { ms: number; maxMs: number }): Promise<number> {
  const child = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  const startedAt = performance.now();
  await new Promise<void>((resolve) => {
    fairTimer({ pid: child.pid, ...limits, onOver: resolve });
  });
  return performance.now() - startedAt;
}

describe("a fair timer", () => {
  it("fires on time for a process that sleeps, and never early", {
    timeout: 60_000,
  }, async () => {
    const sleeping = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)";
    expect(await timeFor(sleeping, { ms: 200, maxMs: 20_000 })).toBeGreaterThanOrEqual(199);
  });

  it("fires for a process that is gone", async () => {
    expect(await timeFor("", { ms: 50, maxMs: 20_000 })).toBeGreaterThanOrEqual(49);
  });

  it("adds the time that the process waited for a processor, up to a limit", async () => {
    const timer = (waitedMs: number, maxMs: number): Promise<number> => {
      const startedAt = performance.now();
      const answers = [0, waitedMs];
      return new Promise((resolve) => {
        fairTimer({
          pid: process.pid,
          ms: 20,
          maxMs,
          waited: () => answers.shift() ?? waitedMs,
          onOver: () => resolve(performance.now() - startedAt),
        });
      });
    };
    expect(await timer(150, 20_000)).toBeGreaterThanOrEqual(169);
    const limited = await timer(1e9, 100);
    expect(limited).toBeGreaterThanOrEqual(99);
  });

  it.runIf(process.platform === "linux")(
    "learns from the system how long a process waited",
    async () => {
      // A busy process that never sleeps has waited for a processor at some point.
      const child = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" });
      onTestFinished(() => {
        child.kill("SIGKILL");
      });
      await vi.waitFor(() => expect(waitedMs(child.pid)).toBeGreaterThan(0), { timeout: 20_000 });
    },
  );

  it("that was cancelled never fires", async () => {
    let over = false;
    const stop = fairTimer({ pid: process.pid, ms: 10, maxMs: 10, onOver: () => (over = true) });
    stop();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(over).toBe(false);
  });
});
