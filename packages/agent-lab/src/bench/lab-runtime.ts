import {
  type AgentEvent,
  type CasStore,
  failure,
  type RoleRules,
  type StepRoute,
  type WorkerDesk,
  WorkflowError,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";

export type LabStep = {
  /** Number of the step in its thread, from 1. */
  round: number;
  cwd: string;
  home: string;
  storageRoot: string;
  processTag: string;
  previousSession: string | null;
  route: StepRoute | null;
  rules: RoleRules | undefined;
  /** Of a role that coordinates. */
  workers: WorkerDesk | undefined;
  signal: AbortSignal;
  cas: CasStore;
  onEvent: (event: AgentEvent) => void;
};

export const LAB_ROLE = "worker";

/** The engine's runtime for a role, without the engine: it has no model to extract with and starts no thread. */
export function labRuntime(step: LabStep): WorkflowRuntime {
  return {
    cas: step.cas,
    signal: step.signal,
    emit: step.onEvent,
    ...(step.workers === undefined ? {} : { workers: step.workers }),
    mayI: async ({ message }) => ({ allowed: message.includes("/allowed"), reason: "said so" }),
    step: {
      role: LAB_ROLE,
      round: step.round,
      route: step.route,
      location: null,
      previousSession: step.previousSession,
      cwd: step.cwd,
      processTag: step.processTag,
      home: step.home,
      storageRoot: step.storageRoot,
      agent: null,
      rules: step.rules,
    },
    extract: () => Promise.reject(notHere("INVALID_OUTPUT", "there is no model to extract with")),
    agent: () => Promise.reject(notHere("AGENT_NOT_FOUND", "there are no named agents")),
    runChild: () => Promise.reject(notHere("INTERNAL", "the lab starts no thread")),
  };
}

function notHere(code: "INVALID_OUTPUT" | "AGENT_NOT_FOUND" | "INTERNAL", message: string) {
  return new WorkflowError(failure(code, message, ""));
}
