/** What the endpoints take and return, beside the shapes of the protocol. A shape that a command prints with `--json`
 *  is the same here. All times are Unix milliseconds. */
import type {
  AgentFault,
  CheckEvidence,
  Hold,
  JsonObject,
  JsonValue,
  LiveItem,
  Overlap,
  PlannedStart,
  QueuePlace,
  SpentBy,
  SpentSum,
  StepGroup,
  StepOutcome,
  StepView,
  StepWorkspace,
  Task,
  ThreadActivity,
  ThreadLimits,
  ThreadStatus,
  ThreadSummary,
  ThreadView,
  Timing,
  ToolCallRecord,
  Usage,
  WorkerRecord,
  WorkflowDescriptor,
} from "@uncaged/workflow-protocol";

/** `engine`: be a client. `read`: look. `run`: start and steer threads. `answer`: answer what people are asked. `edit`:
 *  publish workflows written as YAML. */
export const SCOPES = ["engine", "read", "run", "answer", "edit"] as const;
export type Scope = (typeof SCOPES)[number];

// ---- Of the engine

/** What a client is. */
export type About = {
  version: string;
  /** The folder in which threads work unless the call says otherwise; absolute, on the client's machine. */
  cwd: string;
  /** Who started the client. */
  user: string;
  /** What it lets the gateway do. */
  allow: Exclude<Scope, "engine">[];
  nowMs: number;
};

export type WorkflowRow = { name: string; hash: string; timestamp: number };

/** As `workflow show --json`. */
export type WorkflowDetail = {
  name: string;
  /** The version that is shown: the current one unless the call names another. */
  hash: string;
  timestamp: number;
  descriptor: WorkflowDescriptor;
  /** Earlier versions, newest first. */
  history: { hash: string; timestamp: number }[];
  sha256: string;
  externals: string[];
  /** Who plays each role that an agent plays. */
  players: { [role: string]: { agent: string | null; by: "bindings" | "workflow" | "default" } };
};

/** As `workflow show --yaml`; `yaml` null: the workflow is code. */
export type WorkflowText = { name: string; hash: string; yaml: string | null };

export type AgentRow = { name: string };

/** A thread in a list: as `thread list --json`. */
export type ThreadRow = ThreadSummary & {
  createdAt: number;
  activity: ThreadActivity | null;
  /** Left out: the table was not asked. */
  nextRole?: string | null;
};

/** `next`: what `after` has to be for the page behind this one; null: this is the last. */
export type ThreadPage = { threads: ThreadRow[]; next: string | null };

/** A thread without its steps. */
export type ThreadHead = Omit<ThreadView, "steps"> & {
  stepCount: number;
  createdAt: number;
  updatedAt: number;
  parentThread: string | null;
  /** Bounds that were set for this thread; null: those of its workflow. */
  limits: ThreadLimits | null;
  /** Name of the agent that plays every role; null: whoever the workflow binds. */
  agent: string | null;
};

/** All steps as columns: entry `i` of each is about step `i + 1`. */
export type ThreadIndex = {
  threadId: string;
  /** Of the thread as it was read. */
  head: string;
  stepCount: number;
  columns: {
    role: string[];
    outcome: StepOutcome[];
    /** Meta's `status`, where it is a short text; else null. */
    status: (string | null)[];
    stateHash: string[];
    timestamp: number[];
    /** Null: no run is recorded, as for older threads. */
    durationMs: (number | null)[];
    agent: (string | null)[];
    /** Input and output tokens. */
    tokens: (number | null)[];
    costUsd: (number | null)[];
    /** Name of the condition that led to the step. */
    condition: (string | null)[];
    /** Where that rule stands: a role, a group or `__start__`. */
    from: (string | null)[];
    /** How many files are evidence of it. */
    evidence: number[];
    /** Its files were recorded. */
    files: boolean[];
    childThread: (string | null)[];
    group: (StepGroup | null)[];
  };
};

export type StepDetail = { threadId: string; head: string; step: StepView };

export type EvidenceRow = { hash: string } & (
  | { kind: "call"; call: ToolCallRecord }
  | { kind: "check"; check: CheckEvidence }
  /** Something else, or it is missing. */
  | { kind: "other"; text: string | null }
);
export type StepEvidence = { threadId: string; round: number; evidence: EvidenceRow[] };

/** As `thread show --files --json`. */
export type StepFiles = {
  threadId: string;
  round: number;
  role: string;
  workspace: StepWorkspace;
  files: { path: string; change: "added" | "deleted" | "modified" }[];
};

/** How a step changed one file. */
export type StepPatch = {
  threadId: string;
  round: number;
  path: string;
  /** Git's unified text, at most 200,000 characters; null: the file is not text, or larger than 4 MiB. */
  patch: string | null;
  /** Whether there is more of it. */
  isCut: boolean;
};

type DiffSide = {
  role: string;
  group?: StepGroup;
  meta: JsonValue;
  stateHash: string;
  condition: string | null;
};
export type ThreadDiff = {
  a: { threadId: string; status: string; usage: Usage | null };
  b: { threadId: string; status: string; usage: Usage | null };
  /** First round that differs; null: none. */
  partsAt: number | null;
  rounds: {
    round: number;
    /** `shared`: the same node. `equal`: the same role and meta in different nodes. */
    relation: "shared" | "equal" | "differs";
    a: DiffSide | null;
    b: DiffSide | null;
    /** `a` or `b` is left out where that thread has nothing at the path. */
    changes: { path: string; a?: JsonValue; b?: JsonValue }[];
  }[];
};

/** How a thread stands after a verb. */
export type ThreadStanding = {
  threadId: string;
  workflow: string;
  bundleHash: string;
  status: ThreadStatus;
  stale: boolean;
  /** It will pause after its current step. */
  pausing: boolean;
  head: string;
  stepCount: number;
  updatedAt: number;
};

export type ThreadRef = { threadId: string; stateHash: string };

/** What a verb did to each of several threads, in the order of the call. */
export type BulkResult = {
  threads: (ThreadStanding | { threadId: string; error: FailureBody["error"] })[];
};

export type StartThread = {
  workflow: string;
  prompt: string;
  /** Absolute, on the client's machine; default: the client's own folder. */
  cwd?: string;
  title?: string;
  labels?: { [key: string]: string };
  limits?: ThreadLimits;
  priority?: number;
  pool?: string;
  needs?: string[];
  /** `background` (the default), `idle`, or in the queue, until `notBefore` at least. */
  run?: "background" | "idle" | { notBefore: number | null };
};
/** `queue`: its place, if there was no room for it. */
export type StartedThread = { threadId: string; queue?: QueuePlace };

export type ForkThread = {
  /** Default: the head. Step 0 keeps none. */
  from?: { step: number } | { role: string };
  prompt?: string;
  /** Name in `config.agents`, to play every further step. */
  agent?: string;
  /** Another version to continue with. */
  bundle?: string;
  limits?: ThreadLimits;
  /** In a git worktree of its own with the files of that step, or not at all; otherwise so where they are known. */
  files?: boolean;
  run?: "background" | "idle";
};
export type ForkedThread = { threadId: string; head: string; forkedFrom: ThreadRef };

export type RaceThread = {
  /** Default: the head. Step 0 keeps none. */
  from?: { step: number } | { role: string };
  /** Names in `config.agents`, at least two, each once: one fork for each. */
  agents: string[];
  /** Of each fork. */
  limits?: ThreadLimits;
  /** As for a fork. */
  files?: boolean;
};
/** The forks run in the background: they are compared as any threads are. */
export type StartedRace = {
  forkedFrom: ThreadRef;
  contenders: { agent: string; threadId: string }[];
};

/** `head` null: the step is under way; the thread's events say when it is done. */
export type PokedThread = {
  threadId: string;
  head: string | null;
  previousHead: string;
  status: ThreadStatus;
};

export type Costs = {
  by: SpentBy;
  /** First day, as `2026-11-22`, UTC; null: all. */
  since: string | null;
  runs: number;
  total: Usage | null;
  costs: SpentSum[];
};

/** A thread that waits for room: nobody runs it. */
export type QueuedRow = Omit<ThreadRow, "activity" | "nextRole">;

/** As `queue --json`. */
export type Queue = { threads: QueuedRow[]; pausedSince: number | null; holds: Hold[] };

/** As `worker list --json`, without its process. */
export type WorkerRow = Omit<WorkerRecord, "process">;

export type TaskRow = Omit<Task, "tokenSha256" | "revision"> & { stale: boolean };

/** As `schedule list --json`. `hosted`: a host is up, without which nothing fires. */
export type ScheduleRow = {
  name: string;
  createdAt: number;
  pausedAt: number | null;
  nextAt: number | null;
  timing: Timing;
  overlap: Overlap;
  catchUpMs: number | null;
  jitterMs: number;
  start: PlannedStart;
};

/** As `trigger list --json`: without secrets. */
export type TriggerRow = {
  name: string;
  source: { kind: "watch"; folder: string } | { kind: "webhook"; filter: string | null };
  start: PlannedStart;
  createdAt: number;
  pausedAt: number | null;
};

/** What is wrong with a text, or worth a look. */
export type TextFault = {
  level: "fault" | "warning";
  message: string;
  /** `table.coder[1].when`, where it is about the compiled workflow. */
  place: string | null;
  /** Characters of the text, from 0; `end` is behind the last. Null: nowhere in particular. */
  span: { start: number; end: number; line: number; column: number } | null;
};
/** `descriptor`: null as long as the text cannot be compiled. */
export type CheckedText = {
  ok: boolean;
  hash: string | null;
  descriptor: WorkflowDescriptor | null;
  faults: TextFault[];
};

export type DryRunRequest = {
  prompt?: string;
  /** What each role returns: lists of results, or rules, as the files of `--stubs`. */
  stubs: JsonObject;
  maxSteps?: number;
} & ({ yaml: string } | { workflow: string });
/** As `thread run --dry-run --json`. */
export type DryRunResult = {
  workflow: string;
  hash: string;
  ok: boolean;
  route: {
    round: number | null;
    from: string;
    to: string;
    rule: number | null;
    condition: string;
    prompt: string | null;
    stub: { place: string; meta: JsonObject } | { place: string; outcome: AgentFault } | null;
    group?: StepGroup;
  }[];
  end: {
    kind: "ended" | "suspended" | "failed" | "out_of_stubs" | "stub_invalid" | "max_steps";
    role: string;
    message: string;
  };
  faults: { place: string; message: string }[];
  unused: string[];
  result?: JsonValue;
};

/** As `workflow add --json`. */
export type PublishedWorkflow = {
  name: string;
  hash: string;
  sha256: string;
  previous: string | null;
};

/** A delivery of a webhook. `ignored`: it did not pass the filter. */
export type DeliveryResult = { kind: "started"; threadId: string } | { kind: "ignored" };

// ---- Live events

/** What `GET /events` sends, one JSON document for each event. Its `id` is opaque: given as `Last-Event-ID` with the
 *  same topics, the stream goes on behind it. */
export type ServerEvent =
  /** The stream is open, and caught up with the topics. */
  | { type: "ready" }
  /** Events of the topic were missed: read what is shown of it again. */
  | { type: "reset"; topic: string }
  /** A thread was made or has changed; its summary. */
  | { type: "thread"; topic: string; thread: ThreadRow }
  | { type: "removed"; topic: string; threadId: string }
  /** What waits for people has changed. */
  | { type: "inbox"; topic: string; waiting: number }
  /** What happens in a thread. */
  | { type: "live"; topic: string; item: Exclude<LiveItem, { type: "gap" }> };

// ---- Of the gateway

export type ClientState = "connected" | "silent" | "gone";
export type ClientRow = {
  name: string;
  state: ClientState;
  /** Since when it is in that state. */
  since: number;
  version: string | null;
  /** What the caller may do with it: what both the token and the client allow. */
  scopes: Exclude<Scope, "engine">[];
};

export type TokenRow = {
  id: string;
  name: string;
  scopes: Scope[];
  /** Names of clients; null: all. */
  clients: string[] | null;
  createdAt: number;
  /** Null: it does not expire. A token that was replaced expires soon after. */
  expiresAt: number | null;
  lastUsedAt: number | null;
};
export type SessionRow = { who: string; createdAt: number; lastUsedAt: number; current: boolean };
export type AuditRow = {
  at: number;
  who: string | null;
  client: string | null;
  method: string;
  /** Without its query. */
  path: string;
  status: number;
};
export type Access = { tokens: TokenRow[]; sessions: SessionRow[]; audit: AuditRow[] };

/** `key` belongs into sessionStorage, and with each call into `X-Uwf-Key`; the cookie alone opens nothing. */
export type LoggedIn = Session & { key: string };
export type Session = {
  who: string;
  scopes: Scope[];
  clients: string[] | null;
  expiresAt: number;
};

/** Any answer with a status of 400 or more. */
export type FailureBody = { error: { code: string; message: string; hint: string } };
