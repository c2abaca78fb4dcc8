import { spawn } from "node:child_process";
import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import { afterEach, describe, expect, it } from "vitest";
import { killTagged } from "./kill-tagged.ts";
import { identifyProcess } from "./process-identity.ts";
import { findTagged, runMembers } from "./process-tag.ts";

/** The machine may be busy with other tests. */
const PATIENT = { timeout: 4_000 };

const tags: string[] = [];

afterEach(async () => {
  for (const tag of tags.splice(0)) await killTagged({ tag, graceMs: 0 });
});

/** Starts a shell script in its own process group, as the engine starts an agent, and waits until it reports that it
 *  is set up. */
async function start(script: string): Promise<{ tag: string; pid: number }> {
  const tag = `test-${randomUUID()}:1`;
  tags.push(tag);
  const child = spawn("sh", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, [PROCESS_TAG_ENV]: tag },
  });
  await once(child.stdout, "data");
  return { tag, pid: child.pid ?? 0 };
}

/** Zombies do not count: reaping them is up to whoever adopted them. */
function runs(pid: number): boolean {
  return identifyProcess(pid) !== null;
}

/** Living processes with exactly these words, each followed by a NUL. */
function pidsOf(words: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && cmdline(name) === words)
    .map(Number)
    .filter(runs);
}

function cmdline(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

describe("killTagged", () => {
  it("ends a program that handles SIGINT without waiting out the grace period", async () => {
    const { tag } = await start("echo ready; exec sleep 60");
    const before = performance.now();
    const report = await killTagged({ tag, graceMs: 20_000 });
    expect(report.ended).toHaveLength(1);
    expect(report.left).toEqual([]);
    expect(performance.now() - before).toBeLessThan(15_000);
  });

  it("ends programs that ignore SIGINT and SIGTERM", async () => {
    const { tag, pid } = await start("trap '' INT TERM; echo ready; while :; do sleep 1; done");
    const report = await killTagged({ tag, graceMs: 100 });
    expect(report.ended).toContain(pid);
    expect(findTagged(tag)).toEqual([]);
  });

  it("ends orphans whose parent is already gone", async () => {
    const { tag } = await start("sleep 60 & sleep 60 & echo ready");
    await expect.poll(() => findTagged(tag).length, PATIENT).toBe(2);
    const report = await killTagged({ tag, graceMs: 100 });
    expect(report.ended).toHaveLength(2);
    expect(findTagged(tag)).toEqual([]);
  });

  it("ends daemons that moved to their own session", async () => {
    const { tag } = await start("setsid sh -c 'sleep 60 & sleep 60' & sleep 0.1; echo ready");
    const report = await killTagged({ tag, graceMs: 100 });
    expect(report.ended.length).toBeGreaterThanOrEqual(2);
    expect(findTagged(tag)).toEqual([]);
  });

  it("ends children that cleared their environment and moved to another session", async () => {
    const { tag } = await start(
      "env -i setsid sleep 61 & env -i sleep 62 & sleep 0.2; echo ready; exec sleep 60",
    );
    await expect.poll(() => findTagged(tag).length, PATIENT).toBe(1);
    const members = runMembers({ tag }).map((row) => row.pid);
    expect(members).toHaveLength(3);
    await killTagged({ tag, graceMs: 0 });
    expect(members.filter(runs)).toEqual([]);
  });

  it("ends such children even when the first signal ends their parent", async () => {
    const { tag } = await start("env -i setsid sleep 60 & sleep 0.2; echo ready; wait");
    await expect.poll(() => findTagged(tag).length, PATIENT).toBe(1);
    const members = runMembers({ tag }).map((row) => row.pid);
    expect(members).toHaveLength(2);
    await killTagged({ tag, graceMs: 300 });
    expect(members.filter(runs)).toEqual([]);
  });

  it("ends a process that cleared its environment and lost its parent, when the parent is named", async () => {
    const { tag, pid } = await start("env -i sleep 61 & sleep 0.2; echo ready");
    await expect.poll(() => runs(pid), PATIENT).toBe(false);
    await expect.poll(() => runMembers({ tag }), PATIENT).toEqual([]);
    const report = await killTagged({ tag, graceMs: 0, leaders: [pid] });
    expect(report.ended).toHaveLength(1);
  });

  it("ends a run that keeps starting processes", async () => {
    const { tag } = await start(
      "trap '' INT TERM; echo ready; while :; do (trap '' INT TERM; sleep 5) & sleep 0.01; done",
    );
    await expect.poll(() => findTagged(tag).length, PATIENT).toBeGreaterThan(4);
    const report = await killTagged({ tag, graceMs: 50 });
    expect(report.ended.length).toBeGreaterThan(4);
    expect(report.left).toEqual([]);
    expect(findTagged(tag)).toEqual([]);
  });

  it("ends a run whose children clear their environment and scatter, down to the last one", async () => {
    const seconds = `61.${randomInt(1e9)}`;
    // Bounded, so that a failure does not take the machine with it.
    const { tag } = await start(
      `echo ready; for i in $(seq 300); do env -i PATH="$PATH" setsid sleep ${seconds} & sleep 0.003; done; wait`,
    );
    const scattered = (): number[] => pidsOf(`sleep\0${seconds}\0`);
    await expect.poll(() => scattered().length, PATIENT).toBeGreaterThan(5);
    await killTagged({ tag, graceMs: 0 });
    expect(scattered()).toEqual([]);
  });

  it("leaves other runs alone", async () => {
    const kept = await start("echo ready; exec sleep 60");
    const other = await start("echo ready; exec sleep 60");
    await killTagged({ tag: other.tag, graceMs: 0 });
    expect(runs(kept.pid)).toBe(true);
  });

  it("does nothing for a run that has no processes", async () => {
    expect(await killTagged({ tag: "no-such-run:1" })).toEqual({ ended: [], left: [] });
  });
});
