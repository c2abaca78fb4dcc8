import type { z } from "zod";
import type { AgentFault } from "./agent-error.ts";
import type { AgentEvent } from "./agent-event.ts";
import type { CasStore } from "./cas-store.ts";
import type { WorkerDesk } from "./coordinates.ts";
import type { Failure } from "./failure.ts";
import type { GroupPolicy, StepGroup } from "./group.ts";
import type { JsonValue } from "./json.ts";
import type { ThreadLimits } from "./limits.ts";
import type { Result } from "./result.ts";
import type { RoleMeta, RoleRules } from "./role.ts";
import type { StepRoute, StepRun, Usage } from "./step-run.ts";
import type { StepCommand, StepCommandPiece } from "./step-store.ts";
import type { StepTaskAnswer, StepTaskRequest } from "./task.ts";
import type { RoleStep, ThreadContext } from "./thread-context.ts";
import type { PersonWait, RoleWait } from "./wait.ts";
import type { MemberWorkspace } from "./workspace-mode.ts";

/** What a role is about to do. */
export type StepRequest = {
  role: string;
  /** 1-based place of the step in the thread. */
  round: number;
  route: StepRoute | null;
  /** The route's `location`, filled in; null: the thread's own directory. */
  location: string | null;
  /** The session in which this role last ran in this thread. */
  previousSession: string | null;
  /** The rules in the role's definition; left out by workflow functions that have none. */
  rules?: RoleRules | undefined;
  /** Name in `config.agents` of the agent to run it; null or left out: the thread's agent. */
  agent?: string | null | undefined;
  /** Left out by a step that is no member of a group. Of a member, `round` is the place that it would have if all
   *  finished in declared order. */
  group?: MemberScope | undefined;
  /** Of a member of a group. Default: `shared`. */
  workspace?: MemberWorkspace | undefined;
};

/** A member's place in its group, the item that it is for (null: the group has no `each`), and whose session it
 *  continues. */
export type MemberScope = StepGroup & { item: JsonValue; session: "own" | "role" };

/** The scope of the running step. */
export type StepScope = Omit<StepRequest, "agent" | "workspace"> & {
  /** Absolute working directory. */
  cwd: string;
  /** Set when the role's last session was in the thread that this one was forked from, so `previousSession` is null.
   *  That session must not be continued; a copy of it may be, as long as the other thread has left it as it was at
   *  the fork point. */
  originSession?: { id: string; isAsItWas(): Promise<boolean> } | undefined;
  /** The run of the step that this one replaces (a poke): it is no longer among the earlier steps, but its session may
   *  still be continued. */
  replaced?: StepRun | undefined;
  /** Value of `UNCAGED_RUN_MARK` for every process that the step starts. */
  processTag: string;
  /** Absolute path of a folder that belongs to this role in this thread, or to this member of a group, for an agent's
   *  own configuration and sessions. The agent that needs it creates it (mode 0700); it is removed with the thread. */
  home: string;
  /** Absolute path of the engine's storage root. The agent may write only to `home` in it. Left out by
   *  engines that do not say. */
  storageRoot?: string | undefined;
  /** Folder that a coordinator and its workers share: the agents of both may write to it. Left out: the step has no
   *  part in that. */
  scratch?: string | undefined;
  /** The thread is a worker: its agents start no others, unless a rule of the role's policy names the tool. Left out: it
   *  is none. */
  isWorker?: true | undefined;
  /** `sandbox`: programs of the agent see no processes but their own, and of the storage root only `home` and `cwd`. An
   *  adapter that keeps them to that says so in the record (`StepRun.isolation`), and may lend them a way to texts of the
   *  store (`StepStoreAddress`). `auto`: the same where it can be had. Left out: nobody asked for it. */
  isolation?: "auto" | "sandbox" | undefined;
  /** Name in `config.agents` of the agent that runs the role in place of the bound one; null: the bound one runs it. */
  agent: string | null;
  /** The step in its trace (https://www.w3.org/TR/trace-context/), for programs that trace themselves. Left out: nobody
   *  traces. */
  traceparent?: string | undefined;
};

/** Turns the text stored under `contentHash` into a value of `schema`; throws `INVALID_OUTPUT`. */
export type ExtractFn = <T>(schema: z.ZodType<T>, contentHash: string) => Promise<T>;

export type ChildRequest = {
  workflow: string;
  prompt: string;
  /** Aborted when nobody waits for the child any more: it is killed, and `runChild` rejects. Left out: only its parent's
   *  end reaches it. */
  signal?: AbortSignal;
};
export type ChildOutcome = {
  threadId: string;
  returnCode: number;
  summary: string;
  /** Hash of the child's end node. */
  rootHash: string;
  /** Meta of the child's last step; empty when it has no steps. */
  lastMeta: Record<string, unknown>;
  /** What its workflow's `result` said; left out when that has none, when it failed, or when the child did not complete. */
  result?: JsonValue;
  bundleHash: string;
  /** Total usage of all its steps; null when none of them reported any. */
  usage: Usage | null;
};

/** `reason`: who decided, and why. */
export type Permission = { allowed: boolean; reason: string };

/** A role's handle on the engine: the only way for a bundle to reach it. */
export type WorkflowRuntime = {
  cas: CasStore;
  extract: ExtractFn;
  /** Aborts when the thread is stopped or killed: end every process you started, then reject. */
  signal: AbortSignal;
  step: StepScope;
  /** Resolves, and never rejects, once the engine has looked at the files that the role may change: only then does the
   *  role begin. Left out: it may at once. */
  ready?: Promise<void>;
  /** Sink for live output. Never blocks, never throws; what a slow reader cannot keep up with is dropped. */
  emit(event: AgentEvent): void;
  /** Runs a registered workflow as a child of this step and waits for its end. Called again for the same step after
   *  a crash, it continues the child that it started before. Throws `MAX_DEPTH`. */
  runChild(request: ChildRequest): Promise<ChildOutcome>;
  /** Puts a question to a person and waits for the answer, for as long as the role's `tools` say; `signal` ends the wait.
   *  Never rejects: without an answer it is a no. Left out by engines that cannot. */
  mayI?(question: { message: string; signal: AbortSignal }): Promise<Permission>;
  /** Runs the role's checks on the files as they are: null when they pass, else what is wrong, in words for its agent.
   *  The engine does the same after the role has ended, whether or not it was asked. Left out: the role has none. */
  checkFiles?(): Promise<string | null>;
  /** A page of the step's own thread, as `thread context` shows it. `budgetChars: null`: as much as that shows unasked.
   *  Left out by engines that cannot. */
  readThread?(page: {
    budgetChars: number | null;
    before: number | null;
  }): Promise<{ page: unknown; text: string }>;
  /** Does for an agent of the step what it may do to worker tasks (`StepStoreAddress`). Left out by engines that cannot. */
  askTasks?(request: StepTaskRequest): Promise<Result<StepTaskAnswer, Failure>>;
  /** Carries out a command of the engine's own for an agent of the step, and returns its exit code. `say` takes what it
   *  writes; `signal` ends it. Left out by engines that cannot. */
  runCommand?(
    command: StepCommand,
    world: { say: (piece: StepCommandPiece) => Promise<void>; signal: AbortSignal },
  ): Promise<Result<number, Failure>>;
  /** The workers of a role that `coordinates`. Left out: it does not. */
  workers?: WorkerDesk;
  /** Waits before another attempt, and lends the thread's room to others meanwhile. Rejects when `signal` aborts. Left
   *  out by engines that cannot: the caller waits itself. */
  standBack?(wait: { delayMs: number; signal: AbortSignal }): Promise<void>;
  /** Adapter of an agent named in `config.agents`; null: `config.defaultAgent`. Rejects with
   *  `AGENT_NOT_FOUND` or `CONFIG_INVALID`. */
  agent(name: string | null): Promise<AdapterFn>;
};

/** A step that the engine asks for without consulting the table: the answered role of a suspended thread, or the
 *  head step once more. It is the first step that the workflow makes; the table decides what follows. */
export type StepDirective = {
  route: StepRoute;
  location: string | null;
  previousSession: string | null;
  /** Name in `config.agents` of the agent to run this one step; null: the thread's agent. */
  agent: string | null;
  /** The step is this member of a group; left out: it is not a member. */
  group?: StepGroup;
};

/** Usage that no step records: the runner was killed or stopped before the attempt became a step. */
export type Unrecorded = {
  /** The role that used it; null: the engine's own models. */
  role: string | null;
  usage: Usage;
};

/** The runtime between steps: a workflow enters a step to get that step's runtime. */
export type EngineRuntime = Omit<
  WorkflowRuntime,
  | "step"
  | "emit"
  | "runChild"
  | "agent"
  | "standBack"
  | "workers"
  | "readThread"
  | "askTasks"
  | "runCommand"
> & {
  /** null: the table decides from the start. */
  directive: StepDirective | null;
  /** The thread's own limits, which override those of the workflow; left out: none. */
  limits?: ThreadLimits | null;
  /** Counts towards limits until the next step with a run record, to which the engine adds it. Left out: nothing. */
  unrecorded?: readonly Unrecorded[];
  /** The group to which the thread's last steps belong. The workflow does not see these steps: it has to yield that group
   *  again. null or left out: none. */
  resumes?: StepGroup | null;
  enter(step: StepRequest): WorkflowRuntime;
};

/** What a role run returns for the engine to store. */
export type RoleOutput = {
  role: string;
  meta: Record<string, unknown>;
  /** What the agent said, for people and later roles; default: the meta as JSON. */
  content?: string | undefined;
  /** Hashes of artifacts; each must be in the CAS. */
  refs?: readonly string[] | undefined;
  childThread?: string | null | undefined;
  route?: StepRoute | null | undefined;
  run?: StepRun | null | undefined;
  /** How the role failed, if it did; its meta is then `{ outcome, reason }`. */
  outcome?: AgentFault | undefined;
};

/** How a workflow ends or stops for now. */
export type WorkflowCompletion =
  | { returnCode: number; summary: string; route?: StepRoute | null | undefined }
  | { suspend: Suspension; route?: StepRoute | null | undefined };

/** Why a workflow stops for now: a question, whose answer goes to the role; a `limit`, which has to be raised; or a
 *  `person`, whose answer is the step of the role. Of a person, the engine takes the form and the deadline from the
 *  descriptor. */
export type Suspension = RoleWait | Pick<PersonWait, "kind" | "role" | "message">;

/** A member of a group that a workflow yields. */
export type RoleCall = AgentCall | PersonCall;

type MemberCall = {
  role: string;
  /** Default: null, no rule led here. */
  route?: StepRoute | null;
  /** Default: null, the thread's own directory. */
  location?: string | null;
  /** Name in `config.agents`; default: null, the thread's agent. */
  agent?: string | null;
  rules?: RoleRules | undefined;
  /** Default: null. */
  item?: JsonValue;
  /** Default: `shared`. */
  workspace?: MemberWorkspace;
  /** Called when the member starts; default: null, a new session. */
  previousSession?: () => string | null;
};

/** The engine enters its step and runs it. */
export type AgentCall = MemberCall & {
  /** Runs the role once. What it rejects with becomes the outcome of the member if it is the agent's fault. */
  run: (runtime: WorkflowRuntime) => Promise<RoleOutput>;
  ask?: never;
};

/** A person plays the role: once only such members are left, the thread waits for their answers. */
export type PersonCall = MemberCall & {
  /** The question. */
  ask: string;
  run?: never;
};

/** Members that run side by side. Each is stored when it finishes. */
export type RoleGroup = Omit<GroupPolicy, "session"> & {
  name: string;
  /** See `Group`. */
  atOnce?: number;
  members: readonly RoleCall[];
  /** What the workflow wants to know while the group runs. */
  watch?: {
    /** Asked before a member starts. Once it returns false, no more members start. */
    mayStart: (call: RoleCall, underWay: readonly RoleCall[]) => boolean;
    /** Called for each stored member, in that order; first for those that an earlier run stored. */
    stored: (step: RoleStep) => void;
  };
};

/** What a workflow yields: the output of a step, or members of a group; a bare list has the name `group`. */
export type WorkflowYield = RoleOutput | RoleGroup | readonly RoleCall[];

/** The stored step; of a group its steps in declared order, without members that were not run. */
export type YieldAnswer = RoleStep | RoleStep[] | undefined;

/** Yields one output per step, or a group; the engine stores the results and sends back what it stored. Called
 *  again after a crash, with the steps so far, it must continue from there. Steps of a group at the end are left out
 *  then: the function yields the group again, and only the members that are missing run. */
export type WorkflowFn = (
  ctx: ThreadContext,
  runtime: EngineRuntime,
) => AsyncGenerator<WorkflowYield, WorkflowCompletion, YieldAnswer>;

export type RoleResult<T> = {
  meta: T;
  childThread: string | null;
  /** What the agent said; default: the meta as JSON. */
  content?: string | undefined;
  run?: StepRun | undefined;
};

/** Runs a role once. Rejects when the agent returned nothing usable; the thread then fails with that cause. */
export type RoleFn<T> = (ctx: ThreadContext, runtime: WorkflowRuntime) => Promise<RoleResult<T>>;

/** Binds an agent to the engine: takes a role's prompt and the schema of its result, returns its `RoleFn`. */
export type AdapterFn = {
  <T>(prompt: string, schema: z.ZodType<T>): RoleFn<T>;
  /** The adapter enforces a role's `tools`, or refuses to run it; its run record then says `policy: "held"`. A role
   *  with `tools` is never run by an adapter that does not set this. */
  readonly holdsPolicy?: true;
};

/** Which adapter runs which role. `M` lets the compiler check the names in `overrides`. */
export type AdapterBinding<M extends RoleMeta = RoleMeta> = {
  adapter: AdapterFn;
  overrides: Partial<Record<keyof M & string, AdapterFn>> | null;
};

export type AgentFn<Opt = void> = Opt extends void
  ? (ctx: ThreadContext) => Promise<string>
  : (ctx: ThreadContext, options: Opt) => Promise<string>;
