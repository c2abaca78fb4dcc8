import type {
  Api,
  ServerEvent,
  ThreadHead,
  ThreadIndex,
  ThreadRow,
} from "@uncaged/workflow-gateway/contract";
import type { DescriptorEdge, StepView, WorkflowDescriptor } from "@uncaged/workflow-protocol";

/** A small engine for the page's tests: the data of one client, which a test may change, and what was asked of it. */
export type World = {
  threads: Map<string, FakeThread>;
  descriptor: WorkflowDescriptor;
  inbox: string[];
  calls: { name: keyof Api; path: { [name: string]: string }; body: unknown }[];
  /** Sends an event to every open stream that has its topic. */
  send: (event: ServerEvent) => void;
  listeners: Set<{ topics: readonly string[]; write: (event: ServerEvent) => void }>;
  /** What becomes of every text that a person, an author or an agent has written, wherever the engine tells it. */
  tell: (text: string) => string;
};

export type FakeThread = { row: ThreadRow; head: ThreadHead; steps: StepView[] };

export const NOW = Date.now();
const HASH = "DC0TAVZSTXPWV";

export function makeWorld(): World {
  const listeners: World["listeners"] = new Set();
  return {
    threads: new Map(),
    descriptor: DESCRIPTOR,
    inbox: [],
    calls: [],
    listeners,
    tell: (text) => text,
    send: (event) => {
      for (const { topics, write } of listeners) {
        if ("topic" in event && topics.includes(event.topic)) write(event);
      }
    },
  };
}

export function addThread(
  world: World,
  id: string,
  more: Partial<ThreadHead> & { steps?: StepView[] } = {},
): FakeThread {
  const { steps = [], ...given } = more;
  const head: ThreadHead = {
    threadId: id,
    title: `Thread ${id}`,
    labels: {},
    usage: { inputTokens: 41_200, outputTokens: 3_900, cachedInputTokens: 12_000, costUsd: 0.42 },
    workflow: "develop",
    bundleHash: HASH,
    status: "completed",
    stale: false,
    head: steps.at(-1)?.stateHash ?? "START00000000",
    queue: null,
    priority: 0,
    pool: "default",
    needs: [],
    start: {
      hash: "START00000000",
      prompt: `Do ${id}.`,
      timestamp: NOW - 3_600_000,
      depth: 0,
      parentState: null,
    },
    upgrades: [],
    suspended: null,
    waits: [],
    result: null,
    end: null,
    unrecorded: [],
    forkedFrom: null,
    cwd: "/home/me/project",
    activity: null,
    stepCount: steps.length,
    createdAt: NOW - 3_600_000,
    updatedAt: NOW - 60_000,
    parentThread: null,
    limits: null,
    agent: null,
    ...given,
  };
  const row: ThreadRow = {
    threadId: id,
    title: head.title,
    labels: head.labels,
    workflow: head.workflow,
    bundleHash: head.bundleHash,
    status: head.status,
    stale: head.stale,
    head: head.head,
    stepCount: steps.length,
    usage: head.usage,
    suspended: head.suspended,
    waits: head.waits,
    queue: head.queue,
    priority: 0,
    pool: "default",
    needs: [],
    updatedAt: head.updatedAt,
    startedAt: head.createdAt,
    createdAt: head.createdAt,
    returnCode: head.result?.returnCode ?? null,
    parentThread: null,
    depth: 0,
    activity: head.activity,
  };
  const thread = { row, head, steps };
  world.threads.set(id, thread);
  return thread;
}

export function step(round: number, role: string, more: Partial<StepView> = {}): StepView {
  const content = more.content ?? `Step ${round} of **${role}** is done.`;
  const endedAt = NOW - 3_600_000 + round * 20_000;
  return {
    round,
    role,
    meta: { status: "done", round },
    content,
    stateHash: stateHash(round),
    contentHash: stateHash(round),
    timestamp: endedAt,
    childThread: null,
    outcome: "ok",
    route: {
      from: "coder",
      to: role,
      condition: "FALLBACK",
      rule: 0,
      prompt: `Go on with ${role}.`,
    },
    run: {
      agent: { name: "claude-code", version: "2.1.0", binding: "claude", model: "a-model" },
      session: "b5a4-77",
      prompt: "CV15XESNR1283",
      startedAt: endedAt - 14_000,
      completedAt: endedAt,
      usage: { inputTokens: 4_000, outputTokens: 350, cachedInputTokens: 800, costUsd: 0.04 },
      cwd: "/home/me/project",
      evidence: ["1TZZDHTDVCXRT"],
    },
    ...more,
  };
}

const stateHash = (round: number) => `S${String(round).padStart(12, "0")}`;

export function indexOf({ head, steps }: FakeThread): ThreadIndex {
  return {
    threadId: head.threadId,
    head: head.head,
    stepCount: steps.length,
    columns: {
      role: steps.map((s) => s.role),
      outcome: steps.map((s) => s.outcome),
      status: steps.map((s) =>
        typeof s.meta.status === "string" ? s.meta.status.slice(0, 60) : null,
      ),
      stateHash: steps.map((s) => s.stateHash),
      timestamp: steps.map((s) => s.timestamp),
      durationMs: steps.map((s) => (s.run?.completedAt ?? 0) - (s.run?.startedAt ?? 0)),
      agent: steps.map((s) => s.run?.agent?.name ?? null),
      tokens: steps.map(() => 4_350),
      costUsd: steps.map(() => 0.04),
      condition: steps.map((s) => s.route?.condition ?? null),
      from: steps.map((s) => s.route?.from ?? null),
      evidence: steps.map((s) => s.run?.evidence?.length ?? 0),
      files: steps.map((s) => s.workspace !== undefined),
      childThread: steps.map((s) => s.childThread),
      group: steps.map((s) => s.group ?? null),
    },
  };
}

const edge = (
  from: string,
  to: string,
  condition = "FALLBACK",
  more: Partial<DescriptorEdge> = {},
): DescriptorEdge => ({
  from,
  to,
  condition,
  when: condition === "FALLBACK" ? null : `last.meta.status = '${condition}'`,
  prompt: null,
  location: null,
  ...more,
});

const schema = { type: "object", properties: { status: { type: "string" } }, required: ["status"] };
const role = (description: string) => ({
  description,
  systemPrompt: `You are the one who ${description}.`,
  schema,
});

/** Like the develop template, with a group and a person. */
export const DESCRIPTOR: WorkflowDescriptor = {
  description:
    "Plans a task, codes it, reviews it side by side, and asks a person before it is kept",
  roles: {
    planner: role("splits the task"),
    coder: role("writes the code"),
    reviewer: role("judges one file"),
    tester: role("runs the tests"),
    approver: { ...role("decides"), person: { assignees: ["release-team"] } },
    committer: role("commits"),
  },
  graph: {
    edges: [
      edge("__start__", "planner"),
      edge("planner", "__end__", "aborted"),
      edge("planner", "coder"),
      edge("coder", "reviews", "complete", {
        group: {
          name: "reviews",
          each: "last.meta.files",
          as: "file",
          role: "reviewer",
          atOnce: 4,
        },
      }),
      edge("coder", "__suspend__", "FALLBACK", { outcomes: ["timeout", "crashed"] }),
      edge("coder", "coder"),
      edge("reviews", "tester", "clean"),
      edge("reviews", "coder"),
      edge("tester", "approver", "passed"),
      edge("tester", "coder"),
      edge("approver", "committer", "approved"),
      edge("approver", "coder", "changes"),
      edge("approver", "__end__"),
      edge("committer", "__end__"),
    ],
  },
};

/** A thread that went once through all of it. */
export const WORKSPACE = {
  repository: "/home/me/project/.git",
  workTree: "/home/me/project",
  head: "fb5447c4f9407ce596b505cc22097ee945ff64de",
  branch: "main",
  before: "36df79b258fd382ebb7afcac4e74717bcf794043",
  after: "c8d210d79bfc47e8f094254fd8efc9874cb38b81",
  objectFormat: "sha1",
} as const;

export function playedSteps(): StepView[] {
  const route = (from: string, to: string, condition = "FALLBACK") => ({
    route: { from, to, condition, rule: 0, prompt: `What ${from} left: look at it.` },
  });
  const group = (index: number) => ({ group: { name: "reviews", entry: 3, index, of: 3 } });
  return [
    step(1, "planner", {
      ...route("__start__", "planner"),
      content:
        "## Plan\n\n1. Put one hyphen between words.\n2. Document the rule.\n\n```ts\nexport const slug = (s: string) => s.toLowerCase();\n```\n\n| phase | files |\n|---|---|\n| 1 | `src/slugify.js` |\n",
      meta: {
        status: "planned",
        phases: [{ hash: "8CR6Y2JQKZSZE", title: "One hyphen" }],
        reason: null,
      },
    }),
    step(2, "coder", {
      ...route("planner", "coder"),
      outcome: "crashed",
      content: "The process ended with signal 9.",
    }),
    step(3, "coder", {
      ...route("coder", "coder"),
      workspace: { ...WORKSPACE, changedOutside: true },
    }),
    step(4, "reviewer", { ...route("coder", "reviewer", "complete"), ...group(1) }),
    step(5, "reviewer", { ...route("coder", "reviewer", "complete"), ...group(0) }),
    step(6, "reviewer", {
      ...route("coder", "reviewer", "complete"),
      ...group(2),
      outcome: "timeout",
    }),
    step(7, "tester", {
      ...route("reviews", "tester", "clean"),
      meta: { status: "passed" },
      workspace: WORKSPACE,
    }),
  ];
}
