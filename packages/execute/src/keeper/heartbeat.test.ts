import type { Lease, Renewed } from "@uncaged/workflow-protocol";
import { ownIdentity } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Heartbeat, startHeartbeat } from "./heartbeat.ts";

const LEASE: Lease = {
  ...{ threadId: "01KAJ2Z6PVX0000000000000ZZ", fence: 1, process: ownIdentity() },
  ...{ acquiredAt: 0, heartbeatAt: 0, expiresAt: 15_000 },
};

let heartbeat: Heartbeat;
let renew: () => Promise<readonly Renewed[]>;
let done: string[];

beforeEach(() => {
  vi.useFakeTimers();
  done = [];
  renew = async () => [[]];
});
afterEach(() => {
  heartbeat.stop();
  vi.useRealTimers();
});

function begin({ fences, ageMs = 0 }: { fences: boolean; ageMs?: number }): void {
  heartbeat = startHeartbeat({
    store: { renew: () => renew(), signals: async () => [] },
    now: Date.now,
    interrupt: (_, reason) => void done.push(reason),
    ...(fences ? { fence: () => void done.push("agents ended") } : {}),
    monotonicMs: Date.now,
  });
  heartbeat.keep(LEASE, ageMs);
}

describe("an owner whose renewals fail", () => {
  const unreachable: [string, () => Promise<never>][] = [
    ["are refused", () => Promise.reject(new Error("no way to the server"))],
    ["get no answer", () => new Promise(() => undefined)],
  ];

  it.each(unreachable)("ends its agents before others take over: they %s", async (_how, fails) => {
    begin({ fences: true });
    await vi.advanceTimersByTimeAsync(60_000);
    renew = fails;
    // The last one that succeeded was up to three seconds ago.
    await vi.advanceTimersByTimeAsync(8_500);
    expect(done).toEqual([]);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(done).toEqual(["lease-lost", "agents ended"]);
  });

  it("ends its agents in time when the store had taken long to give the lease", async () => {
    begin({ fences: true, ageMs: 9_000 });
    renew = () => Promise.reject(new Error("no way to the server"));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(done).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(done).toEqual(["lease-lost", "agents ended"]);
  });

  it("goes on where nobody else could take over, either", async () => {
    begin({ fences: false });
    renew = () => Promise.reject(new Error("the index is locked"));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(done).toEqual([]);
  });

  it("goes on when they succeed again in time", async () => {
    begin({ fences: true });
    renew = () => Promise.reject(new Error("no way to the server"));
    await vi.advanceTimersByTimeAsync(11_000);
    renew = async () => [[]];
    await vi.advanceTimersByTimeAsync(60_000);
    expect(done).toEqual([]);
  });
});
