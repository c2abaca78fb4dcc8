import type { ThreadIndex, ThreadRow } from "@uncaged/workflow-gateway/contract";

/** A thread in a list, idle unless it is said otherwise. */
export function threadRow(more: Partial<ThreadRow> & { threadId: string }): ThreadRow {
  return {
    title: more.threadId,
    labels: {},
    workflow: "develop",
    bundleHash: "DC0TAVZSTXPWV",
    status: "idle",
    stale: false,
    head: "E911JK0D4J1XM",
    stepCount: 0,
    usage: null,
    suspended: null,
    waits: [],
    queue: null,
    priority: 0,
    pool: "default",
    needs: [],
    updatedAt: 0,
    startedAt: 0,
    createdAt: 0,
    returnCode: null,
    parentThread: null,
    depth: 0,
    activity: null,
    ...more,
  };
}

type StepGiven = { role: string } & Partial<{
  outcome: ThreadIndex["columns"]["outcome"][number];
  from: string;
  condition: string;
  group: ThreadIndex["columns"]["group"][number];
  timestamp: number;
  durationMs: number;
}>;

/** The columns of a thread with these steps. */
export function indexOf(steps: readonly StepGiven[]): ThreadIndex {
  return {
    threadId: "01M83J8HKCR3CNK078Q2GB1D11",
    head: "E911JK0D4J1XM",
    stepCount: steps.length,
    columns: {
      role: steps.map(({ role }) => role),
      outcome: steps.map(({ outcome }) => outcome ?? "ok"),
      status: steps.map(() => null),
      stateHash: steps.map((_step, at) => `STATE${at + 1}`),
      timestamp: steps.map(({ timestamp }, at) => timestamp ?? at * 1_000),
      durationMs: steps.map(({ durationMs }) => durationMs ?? null),
      agent: steps.map(() => null),
      tokens: steps.map(() => null),
      costUsd: steps.map(() => null),
      condition: steps.map(({ condition }) => condition ?? null),
      from: steps.map(({ from }) => from ?? null),
      evidence: steps.map(() => 0),
      files: steps.map(() => false),
      childThread: steps.map(() => null),
      group: steps.map(({ group }) => group ?? null),
    },
  };
}
