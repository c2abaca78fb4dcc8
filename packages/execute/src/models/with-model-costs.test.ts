import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type RoleOutput,
  type StatePayload,
  type StepRun,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadChain } from "../chain/chain.ts";
import { type ExecuteOptions, ownedThread } from "../testing/leased-thread.test.helper.ts";
import { costMeter } from "./cost-meter.ts";

/** The end of a thread is written to history files. */
let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "model-costs-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const USED = { inputTokens: 10, outputTokens: 2, cachedInputTokens: 0, costUsd: 0.5 };
const WATCHED = "the usage includes models that supervise or summarize the thread";
const bare: RoleOutput = { role: "coder", meta: {} };
const record: StepRun = {
  agent: { name: "prose", version: "1" },
  session: null,
  prompt: null,
  startedAt: 1,
  completedAt: 2,
  usage: USED,
  cwd: "/",
  evidence: [],
};
const recorded: RoleOutput = { ...bare, run: record };

/** The nodes of a thread with these outputs; an Error among them is thrown. */
async function ended(
  outputs: readonly (RoleOutput | Error)[],
  opts: ExecuteOptions,
): Promise<StatePayload[]> {
  const owned = await ownedThread(root);
  await owned.execute(async function* () {
    for (const output of outputs) {
      if (output instanceof Error) throw output;
      yield output;
    }
    return { returnCode: 0, summary: "done" };
  }, opts);
  const { states } = await loadChain(owned.engine.cas, await owned.record());
  return states.map(({ node }) => node.payload);
}

/** Each check by the supervisor and each summary uses the same amount. */
function watching(objections: readonly (string | null)[] = []): ExecuteOptions {
  const meter = costMeter();
  const left = [...objections];
  return {
    costs: { extraction: () => null, watching: meter.take, lost: () => null },
    supervise: async () => {
      meter.add(USED);
      return left.shift() ?? null;
    },
    summarize: async (_states, own) => {
      meter.add(USED);
      return own;
    },
  };
}

describe("what models used that watch over a thread", () => {
  it("is in the next step that has a record, and with the summary's at the end", async () => {
    const [first, second, end] = await ended([bare, recorded], watching());
    expect(first).not.toHaveProperty("usage");
    // Its own usage, and the supervisor's before each of the two steps.
    expect(second).toMatchObject({
      agent: { name: "prose" },
      usage: { inputTokens: 30, costUsd: 1.5 },
      notes: [WATCHED],
    });
    // The supervisor's check before the end, and the summary.
    expect(end).toMatchObject({
      agent: { name: "engine" },
      usage: { inputTokens: 20, costUsd: 1 },
      notes: [WATCHED],
    });
  });

  it("is at the end when it is what ended the thread", async () => {
    const [, end] = await ended([bare], watching([null, "in circles"]));
    expect(end).toMatchObject({
      meta: { summary: "supervisor: in circles" },
      usage: { inputTokens: 20, costUsd: 1 },
    });
  });

  it("leaves no record at an end that nobody watched", async () => {
    const [, end] = await ended([recorded], {});
    expect(end).not.toHaveProperty("agent");
  });
});

it("what extraction used is at the end of a thread that failed by it without a record", async () => {
  const reason = { code: "INVALID_OUTPUT", message: "no JSON", hint: "" } as const;
  const [end] = await ended([new WorkflowError(reason)], {
    costs: { extraction: () => USED, watching: () => null, lost: () => null },
  });
  expect(end).toMatchObject({
    usage: USED,
    notes: ["the usage includes extraction by a model"],
  });
});
