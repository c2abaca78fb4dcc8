/** The interface that the engine passes to a workflow function and its roles. */
import { join, resolve } from "node:path";
import {
  type AdapterFn,
  type AgentEvent,
  type CasStore,
  type ChildOutcome,
  type ChildRequest,
  type EngineRuntime,
  type ExtractFn,
  type LiveEvent,
  type MemberScope,
  type RoleRules,
  requiredChecks,
  type StepDirective,
  type StepGroup,
  type StepRequest,
  type StepRun,
  type StepScope,
  type ThreadRecord,
  type Unrecorded,
  type WorkerDesk,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { agentEventSchema } from "@uncaged/workflow-protocol/schemas";
import type { Settings } from "@uncaged/workflow-register";
import { isSaid } from "../chain/answer-directive.ts";
import { stepTag } from "../processes/process-tags.ts";
import type { WorkerCalls } from "../workers/worker-calls.ts";
import { type AskPerson, DEFAULT_ASK_MS } from "./ask-person.ts";
import type { MemberPlace } from "./member-worktrees.ts";
import type { OriginSessions } from "./origin-sessions.ts";
import type { RoleAgent } from "./role-agents.ts";
import type { StepTasks } from "./step-tasks.ts";

export type RuntimeParts = {
  cas: CasStore;
  /** Extraction whose live events go to this sink. */
  extract: (emit: (event: AgentEvent) => void) => ExtractFn;
  signal: AbortSignal;
  thread: ThreadRecord;
  origin: OriginSessions;
  directive: StepDirective | null;
  /** The run of the step that the next one replaces; null: it replaces none. */
  replaced: StepRun | null;
  /** Usage of attempts that were cut off before they produced a step. */
  unrecorded: readonly Unrecorded[];
  /** The group that the workflow has to yield again; null: none. */
  resumes: StepGroup | null;
  /** The rules of each role, from the descriptor; they override what the bundle's code says. */
  rules: { readonly [role: string]: RoleRules };
  fence: number;
  now: () => number;
  emit: (event: LiveEvent) => void;
  /** Folder of the private homes of this thread's agents. */
  homes: string;
  storageRoot: string;
  isolation: Settings["isolation"];
  /** The step's place in its trace; null: nobody traces. */
  traceparent: ((step: { round: number; group?: StepGroup | undefined }) => string) | null;
  /** The agent for the step that a role starts. */
  roleAgent: (request: StepRequest) => RoleAgent;
  /** Adapter of an agent named in the configuration; null: the default one. */
  agent: (name: string | null) => Promise<AdapterFn>;
  /** Waits with the thread's room lent. */
  standBack: NonNullable<WorkflowRuntime["standBack"]>;
  /** Looks at the files before a role begins. Null: there is nothing to wait for. */
  look: (step: {
    round: number;
    cwd: string;
    group: StepGroup | undefined;
  }) => Promise<void> | null;
  /** Where a member of a group works that is to have a git worktree. */
  memberPlace: (member: { cwd: string; group: StepGroup }) => MemberPlace;
  /** Runs the checks of a role that has some on the files as they are. */
  checkFiles: (step: {
    role: string;
    round: number;
    group: StepGroup | undefined;
  }) => Promise<string | null>;
  /** Asks a person while a step waits. */
  askPerson: AskPerson;
  /** A page of the thread as it is now. */
  readThread: NonNullable<WorkflowRuntime["readThread"]>;
  /** What the agent of a step in a sandbox may do to worker tasks. */
  tasksOf: (step: { role: string; cwd: string }) => StepTasks;
  /** Carries out commands for it. */
  commandsOf: (step: { tag: string; cwd: string }) => NonNullable<WorkflowRuntime["runCommand"]>;
  /** `call` numbers the children of one step, from 0: the same call after a crash finds the same child. */
  /** The workers of a role that coordinates; undefined: it does not. */
  workers: (step: {
    role: string;
    cwd: string;
    rules: RoleRules | undefined;
    group: StepGroup | undefined;
  }) => WorkerDesk | undefined;
  /** The folder that the thread shares, as a worker or with workers; null: none. */
  scratch: (rules: RoleRules | undefined) => string | null;
  isWorker: boolean;
  /** The budget that a worker shares; null: the thread is none. */
  calls: WorkerCalls | null;
  runChild: (
    request: ChildRequest & {
      role: string;
      call: number;
      cwd: string;
      group: StepGroup | undefined;
    },
  ) => Promise<ChildOutcome>;
};

export function engineRuntime(parts: RuntimeParts): EngineRuntime {
  const { thread, signal } = parts;
  const cas = lentCas(parts.cas);
  return {
    cas,
    // Between two steps nobody is watching.
    extract: parts.extract(() => undefined),
    signal,
    directive: parts.directive,
    limits: thread.limits,
    unrecorded: parts.unrecorded,
    resumes: parts.resumes,
    enter: (request: StepRequest) => {
      const { workspace, ...asked } = request;
      const { role, round } = request;
      const group = placeOf(request.group);
      const step = { role, round, ...(group === undefined ? {} : { group }) };
      const roleAgent = parts.roleAgent(request);
      const given = request.location === null ? thread.cwd : resolve(thread.cwd, request.location);
      const place =
        workspace === "worktree" && group !== undefined
          ? parts.memberPlace({ cwd: given, group })
          : null;
      const cwd = place?.cwd ?? given;
      const stamp = (): { threadId: string; timestamp: number } => ({
        threadId: thread.threadId,
        timestamp: parts.now(),
      });
      let calls = 0;
      parts.emit({
        ...stamp(),
        type: "step_started",
        ...step,
        condition: request.route?.condition ?? null,
        said: saidByPerson(request),
      });
      const emit = (given: AgentEvent): void => {
        // An adapter may be code of a bundle. An invalid event must not cost the step.
        const { data: event } = agentEventSchema.safeParse(given);
        if (event?.type === "usage") parts.calls?.note(group, event.usage);
        if (event !== undefined) parts.emit({ ...stamp(), type: "agent", ...step, event });
      };
      const rules = Object.hasOwn(parts.rules, role) ? parts.rules[role] : request.rules;
      const tasks = parts.isolation === "none" ? null : parts.tasksOf({ role, cwd });
      const look = (): Promise<void> | null => {
        const looked = [parts.look({ round, cwd, group }), tasks?.look() ?? null];
        if (looked.every((each) => each === null)) return null;
        return Promise.all(looked).then(() => undefined);
      };
      const prepared = (): Promise<void> | null =>
        place === null
          ? look()
          : place
              .stand()
              .then(look)
              .then(() => undefined);
      // The files are looked at when the agent begins, not when it begins to wait.
      const ready =
        parts.calls === null
          ? prepared()
          : parts.calls.begin(group).then(() => prepared() ?? undefined);
      // A workflow function that does not wait for it is no reason to end the process.
      ready?.catch(() => undefined);
      const timeoutMs = rules?.tools?.askTimeoutMs ?? DEFAULT_ASK_MS;
      const workers = parts.workers({ role, cwd, rules, group });
      const scratch = parts.scratch(rules);
      const processTag = stepTag({ threadId: thread.threadId, fence: parts.fence, group });
      return {
        cas,
        extract: parts.extract(emit),
        signal,
        ...(requiredChecks(rules?.requiredEvidence).length === 0
          ? {}
          : { checkFiles: () => parts.checkFiles({ role, round, group }) }),
        ...(workers === undefined ? {} : { workers }),
        readThread: parts.readThread,
        ...(tasks === null
          ? {}
          : {
              askTasks: tasks.ask,
              runCommand: parts.commandsOf({ tag: processTag, cwd }),
            }),
        mayI: (question) => parts.askPerson({ role, group, timeoutMs, ...question }),
        step: {
          ...asked,
          rules,
          ...roleAgent,
          ...originOf(roleAgent, parts.origin),
          ...(parts.replaced === null ? {} : { replaced: parts.replaced }),
          cwd,
          processTag,
          home: join(parts.homes, homeOf(request)),
          storageRoot: parts.storageRoot,
          ...(scratch === null ? {} : { scratch }),
          ...(parts.isWorker ? { isWorker: true as const } : {}),
          ...(parts.isolation === "none" ? {} : { isolation: parts.isolation }),
          ...(parts.traceparent === null
            ? {}
            : { traceparent: parts.traceparent({ round, group }) }),
        },
        ...(ready === null ? {} : { ready }),
        emit,
        standBack: parts.standBack,
        agent: parts.agent,
        runChild: (child) => parts.runChild({ ...child, role, call: calls++, cwd, group }),
      };
    },
  };
}

/** Applies whatever the workflow says: its bundle may be older than this rule. An adapter that cannot copy sessions
 *  starts a new one. */
function originOf(
  { previousSession: session }: RoleAgent,
  origin: OriginSessions,
): Partial<Pick<StepScope, "previousSession" | "originSession">> {
  if (session === null || !origin.has(session)) return {};
  const originSession = { id: session, isAsItWas: () => origin.isAsItWas(session) };
  return { previousSession: null, originSession };
}

function placeOf(scope: MemberScope | undefined): StepGroup | undefined {
  if (scope === undefined) return undefined;
  const { name, entry, index, of } = scope;
  return { name, entry, index, of };
}

/** A member with its own session has its own home. Role names contain no dots. */
function homeOf({ role, group }: StepRequest): string {
  return group?.session === "own" ? `${role}.${group.entry}.${group.index}` : role;
}

/** An answer, a poke, or the prompt of a fork; null: nobody said anything, the table led here. */
function saidByPerson({ route }: StepRequest): string | null {
  if (route === null) return null;
  return isSaid(route.condition) || route.promptFrom === "person" ? route.prompt : null;
}

/** Only the four operations of the port, so that a bundle gets no other method of the backend. */
function lentCas(cas: CasStore): CasStore {
  return {
    put: (content) => cas.put(content),
    get: (hash) => cas.get(hash),
    delete: (hash) => cas.delete(hash),
    list: () => cas.list(),
  };
}
