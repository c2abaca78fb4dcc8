import { randomUUID } from "node:crypto";
import {
  type AgentEvent,
  type CasStore,
  failure,
  type RoleRules,
  type RoleStep,
  type StepScope,
  type ThreadContext,
  WorkflowError,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { fakeCas } from "./fake-cas.ts";

export type FakeRuntime = WorkflowRuntime & {
  /** Emitted so far. */
  readonly events: AgentEvent[];
  /** Stored texts by hash. */
  readonly texts: Map<string, string>;
};

/** The engine's runtime for a role, in memory. It has no model to extract with, and starts nothing. */
export function fakeRuntime(
  about: Partial<
    Pick<
      StepScope,
      | "cwd"
      | "home"
      | "isolation"
      | "storageRoot"
      | "previousSession"
      | "originSession"
      | "replaced"
      | "role"
      | "round"
    >
  > & {
    rules?: RoleRules;
    signal?: AbortSignal;
    extract?: WorkflowRuntime["extract"];
    put?: CasStore["put"];
  } = {},
): FakeRuntime {
  const { rules, signal, extract, put, ...scope } = about;
  const { texts, ...cas } = fakeCas();
  const events: AgentEvent[] = [];
  return {
    events,
    texts,
    cas: put === undefined ? cas : { ...cas, put },
    extract: extract ?? (() => Promise.reject(noModel())),
    signal: signal ?? new AbortController().signal,
    emit: (event) => events.push(event),
    step: {
      role: "coder",
      round: 1,
      route: null,
      location: null,
      previousSession: null,
      rules,
      cwd: "/",
      processTag: `test-${randomUUID()}:1`,
      home: `${about.cwd ?? "/nowhere"}/home`,
      agent: null,
      ...scope,
    },
    runChild: () => Promise.reject(notHere()),
    agent: () => Promise.reject(notHere()),
  };
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

function noModel(): WorkflowError {
  return new WorkflowError(failure("INVALID_OUTPUT", "no model is configured", ""));
}

function notHere(): WorkflowError {
  return new WorkflowError(failure("INTERNAL", "the fake runtime does not do that", ""));
}
