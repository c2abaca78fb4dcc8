import { type AgentEvent, agentError, type WorkflowRuntime } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { withRetries } from "./with-retries.ts";

/** The waits between the attempts of a role that always fails. */
async function waits(
  chance: number,
  { retryAfterMs, timeoutMs }: { retryAfterMs?: number; timeoutMs?: number } = {},
): Promise<number[]> {
  const events: AgentEvent[] = [];
  const waited: number[] = [];
  const runtime: WorkflowRuntime = {
    ...UNUSED,
    signal: new AbortController().signal,
    emit: (event) => events.push(event),
    step: {
      ...{ role: "worker", round: 1, route: null, location: null, previousSession: null },
      ...{ cwd: "/", processTag: "test:1", home: "/nowhere", agent: null },
      rules: { retry: { attempts: 3, backoffMs: 10, maxBackoffMs: 30 }, timeoutMs },
    },
    standBack: async ({ delayMs }) => void waited.push(delayMs),
  };
  const play = () =>
    Promise.reject(
      agentError("rate_limited", { message: "not now", hint: "", run: null, retryAfterMs }),
    );
  const played = withRetries(play, CONTEXT, { runtime, timeLeftMs: null, random: () => chance });
  const asked = retryAfterMs ?? null;
  await expect(played).rejects.toMatchObject({ outcome: "rate_limited", retryAfterMs: asked });
  expect(waited).toEqual(events.flatMap((event) => (event.type === "retry" ? event.delayMs : [])));
  return events.flatMap((event) => (event.type === "retry" ? event.delayMs : []));
}

const nothing = () => Promise.reject(new Error("not used here"));
const UNUSED = {
  cas: { put: nothing, get: nothing, delete: nothing, list: nothing },
  extract: nothing,
  runChild: nothing,
  agent: nothing,
};
const CONTEXT = {
  ...{ threadId: "01KAJ2Z6PVX0000000000000ZZ", depth: 0, bundleHash: "D4KP4Y6MRRVJV", steps: [] },
  start: { role: "__start__", content: "", meta: {}, timestamp: 0, parentState: null } as const,
};

describe("the wait before another attempt", () => {
  it("is between half of the role's back-off and all of it", async () => {
    expect(await waits(0)).toEqual([5, 10, 15]);
    expect(await waits(0.999)).toEqual([10, 20, 30]);
  });

  it("is what the provider asks for, and a little more, when that is longer", async () => {
    const asked = { retryAfterMs: 40_000 };
    expect(await waits(0, asked)).toEqual([40_000, 40_000, 40_000]);
    expect(await waits(0.5, asked)).toEqual([40_500, 40_500, 40_500]);
    expect(await waits(0, { retryAfterMs: 7 })).toEqual([7, 10, 15]);
  });

  it("is not begun when the provider asks for longer than one attempt of the role may take", async () => {
    expect(await waits(0, { retryAfterMs: 40_001, timeoutMs: 40_000 })).toEqual([]);
    expect(await waits(0, { retryAfterMs: 40_000, timeoutMs: 40_000 })).toHaveLength(3);
    expect(await waits(0, { retryAfterMs: 3_600_001 })).toEqual([]);
  });
});
