import { createHash, randomUUID } from "node:crypto";
import {
  type AgentEvent,
  failure,
  type RoleRules,
  type RoleStep,
  type StepScope,
  type ThreadContext,
  WorkflowError,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";

export type FakeRuntime = WorkflowRuntime & {
  readonly events: AgentEvent[];
  /** Stored texts by hash. */
  readonly stored: Map<string, string>;
};

/** The engine's hand to a role, in memory; it extracts and starts nothing. */
export function fakeRuntime(
  about: Partial<Pick<StepScope, "cwd" | "home" | "previousSession" | "round">> & {
    rules?: RoleRules;
    signal?: AbortSignal;
  } = {},
): FakeRuntime {
  const { rules, signal = new AbortController().signal, ...scope } = about;
  const stored = new Map<string, string>();
  const events: AgentEvent[] = [];
  return {
    events,
    stored,
    signal,
    emit: (event) => events.push(event),
    cas: {
      async put(content) {
        const hash = createHash("sha256").update(content).digest("hex").slice(0, 13).toUpperCase();
        stored.set(hash, content);
        return hash;
      },
      async get(hash) {
        const text = stored.get(hash);
        return text === undefined
          ? null
          : `type: "content"\npayload: ${JSON.stringify(text)}\nrefs: []\n`;
      },
      delete: async () => {},
      list: async () => [...stored.keys()],
    },
    step: {
      role: "worker",
      round: 1,
      route: null,
      location: null,
      previousSession: null,
      cwd: "/",
      runMark: `test-${randomUUID()}:1`,
      home: "/nowhere",
      agent: null,
      rules,
      ...scope,
    },
    extract: () => Promise.reject(notHere()),
    agent: () => Promise.reject(notHere()),
    runChild: () => Promise.reject(notHere()),
  };
}

function notHere(): WorkflowError {
  return new WorkflowError(failure("INTERNAL", "the fake runtime does not do that", ""));
}

export function fakeContext(task: string, steps: readonly RoleStep[] = []): ThreadContext {
  return {
    threadId: "01KAJ2Z6PVX0000000000000ZZ",
    depth: 0,
    bundleHash: "D4KP4Y6MRRVJV",
    start: { role: "__start__", content: task, meta: {}, timestamp: 0, parentState: null },
    steps: [...steps],
  };
}
