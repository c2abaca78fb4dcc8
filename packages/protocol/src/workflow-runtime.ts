import type { z } from "zod";
import type { AgentFault } from "./agent-error.ts";
import type { AgentEvent } from "./agent-event.ts";
import type { CasStore } from "./cas-store.ts";
import type { ReachedLimit, ThreadLimits } from "./limits.ts";
import type { RoleMeta, RoleRules } from "./role.ts";
import type { StepRoute, StepRun, Usage } from "./step-run.ts";
import type { RoleStep, ThreadContext } from "./thread-context.ts";

/** What a role is about to do. */
export type StepRequest = {
  role: string;
  /** 1-based place of the step in the thread. */
  round: number;
  route: StepRoute | null;
  /** Filled-in `location` of the route; null: the thread's own directory. */
  location: string | null;
  /** Session in which the same role ran last in this thread. */
  previousSession: string | null;
  /** What the role is held to, by its definition; left out by workflow functions that have none. */
  rules?: RoleRules | undefined;
  /** Name of the agent in `config.agents` to play it; null or left out: whoever plays the thread. */
  agent?: string | null | undefined;
};

/** The scope of the step that is running. */
export type StepScope = Omit<StepRequest, "agent"> & {
  /** Absolute directory to work in. */
  cwd: string;
  /** The role's last session was in the thread that this one was forked from, so `previousSession` is null. It must not
   *  be gone on with; a copy of it may, while the other thread left it as it was at the fork point. */
  originSession?: { id: string; isAsItWas(): Promise<boolean> } | undefined;
  /** Value of `UNCAGED_RUN_MARK` for every process that the step starts. */
  runMark: string;
  /** Absolute path of a folder of this thread's role alone, for an agent's own configuration and sessions.
   *  Whoever wants it makes it (mode 0700); it goes away with the thread. */
  home: string;
  /** Name of the agent in `config.agents` that plays in place of the bound one; null: the bound one plays. */
  agent: string | null;
};

/** Turns the text stored under `contentHash` into a value of `schema`; throws `INVALID_OUTPUT`. */
export type ExtractFn = <T>(schema: z.ZodType<T>, contentHash: string) => Promise<T>;

export type ChildRequest = { workflow: string; prompt: string };
export type ChildOutcome = {
  threadId: string;
  returnCode: number;
  summary: string;
  /** Hash of the child's end node. */
  rootHash: string;
  /** Meta of the child's last step; empty when it made none. */
  lastMeta: Record<string, unknown>;
  bundleHash: string;
  /** What all its steps used; null when none of them said. */
  usage: Usage | null;
};

/** The engine's hand to a role; a bundle reaches the engine through it and through nothing else. */
export type WorkflowRuntime = {
  cas: CasStore;
  extract: ExtractFn;
  /** Aborts when the thread is stopped or killed: end every process you started, then reject. */
  signal: AbortSignal;
  step: StepScope;
  /** Sink for live output. Never blocks, never throws; what a slow reader cannot take is dropped. */
  emit(event: AgentEvent): void;
  /** Runs a registered workflow as a child of this step and waits for its end. Called again for the same
   *  step after a crash, it goes on with the child it started before. Throws `MAX_DEPTH`. */
  runChild(request: ChildRequest): Promise<ChildOutcome>;
  /** Adapter of an agent named in `config.agents`; null: `config.defaultAgent`. Rejects with
   *  `AGENT_NOT_FOUND` or `CONFIG_INVALID`. */
  agent(name: string | null): Promise<AdapterFn>;
};

/** A step that the engine asks for without asking the table: the answered role of a suspended thread, or the
 *  head step once more. It is the first step that the workflow makes; the table decides what follows. */
export type StepDirective = {
  route: StepRoute;
  location: string | null;
  previousSession: string | null;
  /** Name of the agent in `config.agents` to play this one step; null: whoever plays the thread. */
  agent: string | null;
};

/** What was used and stands in no step: a runner was killed, or stopped, before the attempt made one. */
export type Unrecorded = {
  /** Who used it; null: the engine's own models did. */
  role: string | null;
  usage: Usage;
};

/** The runtime between steps: a workflow enters a step to get the runtime of that step. */
export type EngineRuntime = Omit<WorkflowRuntime, "step" | "emit" | "runChild" | "agent"> & {
  /** null: the table decides from the start. */
  directive: StepDirective | null;
  /** The thread's own bounds, which win over those of the workflow; left out: none. */
  limits?: ThreadLimits | null;
  /** Counts for limits until the next step that has a record of its run: the engine adds it there. Left out: nothing. */
  unrecorded?: readonly Unrecorded[];
  enter(step: StepRequest): WorkflowRuntime;
};

/** What one role run gives the engine to store. */
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
  /** How the role failed, when it did; its meta is then `{ outcome, reason }`. */
  outcome?: AgentFault | undefined;
};

/** How a workflow ends or comes to rest. */
export type WorkflowCompletion =
  | { returnCode: number; summary: string; route?: StepRoute | null | undefined }
  | { suspend: Suspension; route?: StepRoute | null | undefined };

/** Why a thread waits for a person: a question, which is answered to the role, or a `limit`, which has to be
 *  raised. */
export type Suspension = {
  role: string;
  message: string;
  kind?: "limit";
  /** Of a `limit`: which one. Left out in what older versions wrote. */
  limit?: ReachedLimit;
};

/** Yields one output per step; the engine stores it and answers with the stored step.
 *  Called again with the steps so far after a crash, it must go on from there. */
export type WorkflowFn = (
  ctx: ThreadContext,
  runtime: EngineRuntime,
) => AsyncGenerator<RoleOutput, WorkflowCompletion, RoleStep | undefined>;

export type RoleResult<T> = {
  meta: T;
  childThread: string | null;
  /** What the agent said; default: the meta as JSON. */
  content?: string | undefined;
  run?: StepRun | undefined;
};

/** Runs a role once. Rejects when the agent gave nothing usable; the thread then fails with that cause. */
export type RoleFn<T> = (ctx: ThreadContext, runtime: WorkflowRuntime) => Promise<RoleResult<T>>;

/** Binds an agent to the engine: told a role's prompt and the schema of its result, gives its `RoleFn`. */
export type AdapterFn = {
  <T>(prompt: string, schema: z.ZodType<T>): RoleFn<T>;
  /** It holds its agent to a role's `tools`, or refuses to play; its run record then says `policy: "held"`. A role
   *  with `tools` is not played by an adapter that does not say so. */
  readonly holdsPolicy?: true;
};

/** Which adapter plays which role. `M` lets the compiler check the names in `overrides`. */
export type AdapterBinding<M extends RoleMeta = RoleMeta> = {
  adapter: AdapterFn;
  overrides: Partial<Record<keyof M & string, AdapterFn>> | null;
};

export type AgentFn<Opt = void> = Opt extends void
  ? (ctx: ThreadContext) => Promise<string>
  : (ctx: ThreadContext, options: Opt) => Promise<string>;
