/** The table of endpoints: from it come the engine's routes, the gateway's own, the OpenAPI document and every typed
 *  call. Parameters are in `path`; a query is text, parsed by `@uncaged/workflow-gateway/schemas`. */
import type { JsonObject, SpentBy, ThreadLimits, ThreadStatus } from "@uncaged/workflow-protocol";
import type {
  About,
  Access,
  AgentRow,
  BulkResult,
  CheckedText,
  ClientRow,
  Costs,
  DeliveryResult,
  DryRunRequest,
  DryRunResult,
  ForkedThread,
  ForkThread,
  LoggedIn,
  PokedThread,
  PublishedWorkflow,
  Queue,
  RaceThread,
  ScheduleRow,
  Scope,
  Session,
  StartedRace,
  StartedThread,
  StartThread,
  StepDetail,
  StepEvidence,
  StepFiles,
  StepPatch,
  TaskRow,
  ThreadDiff,
  ThreadHead,
  ThreadIndex,
  ThreadPage,
  ThreadRow,
  ThreadStanding,
  TriggerRow,
  WorkerRow,
  WorkflowDetail,
  WorkflowRow,
  WorkflowText,
} from "./shapes.ts";

type None = { readonly [key: string]: never };
type ById = { id: string };
type ByStep = { id: string; n: string };

/** What each endpoint takes and returns. `body: null`: it takes none. */
export type Api = {
  about: { path: None; query: None; body: null; response: About };
  listWorkflows: { path: None; query: None; body: null; response: { workflows: WorkflowRow[] } };
  showWorkflow: {
    path: { name: string };
    query: { version?: string };
    body: null;
    response: WorkflowDetail;
  };
  workflowText: {
    path: { name: string };
    query: { version?: string };
    body: null;
    response: WorkflowText;
  };
  publishWorkflow: {
    path: { name: string };
    query: None;
    body: { yaml: string };
    response: PublishedWorkflow;
  };
  checkWorkflow: { path: None; query: None; body: { yaml: string }; response: CheckedText };
  dryRun: { path: None; query: None; body: DryRunRequest; response: DryRunResult };
  teach: { path: None; query: None; body: { words: string }; response: { threadId: string } };
  checkDraft: { path: ById; query: None; body: None; response: ThreadStanding };
  listAgents: {
    path: None;
    query: None;
    body: null;
    response: { agents: AgentRow[]; defaultAgent: string | null };
  };
  listThreads: { path: None; query: ThreadQuery; body: null; response: ThreadPage };
  startThread: { path: None; query: None; body: StartThread; response: StartedThread };
  showThread: { path: ById; query: None; body: null; response: ThreadHead };
  threadIndex: { path: ById; query: None; body: null; response: ThreadIndex };
  showStep: { path: ByStep; query: None; body: null; response: StepDetail };
  stepEvidence: { path: ByStep; query: None; body: null; response: StepEvidence };
  stepFiles: { path: ByStep; query: None; body: null; response: StepFiles };
  stepPatch: { path: ByStep; query: { path: string }; body: null; response: StepPatch };
  diffThreads: { path: { a: string; b: string }; query: None; body: null; response: ThreadDiff };
  pauseThread: { path: ById; query: None; body: None; response: ThreadStanding };
  resumeThread: { path: ById; query: None; body: { answer?: string }; response: ThreadStanding };
  stopThread: { path: ById; query: None; body: None; response: ThreadStanding };
  killThread: { path: ById; query: None; body: None; response: ThreadStanding };
  raiseLimits: {
    path: ById;
    query: None;
    body: { limits: ThreadLimits };
    response: ThreadStanding;
  };
  pokeThread: {
    path: ById;
    query: None;
    body: { prompt: string; agent?: string };
    response: PokedThread;
  };
  undoPoke: { path: ById; query: None; body: None; response: PokedThread };
  forkThread: { path: ById; query: None; body: ForkThread; response: ForkedThread };
  raceThread: { path: ById; query: None; body: RaceThread; response: StartedRace };
  answerThread: {
    path: ById;
    query: None;
    body: { meta: JsonObject; member?: number };
    response: ThreadStanding;
  };
  steerThreads: { path: None; query: None; body: Bulk; response: BulkResult };
  inbox: {
    path: None;
    query: { workflow?: string };
    body: null;
    response: { threads: ThreadRow[] };
  };
  costs: { path: None; query: { by?: SpentBy; since?: string }; body: null; response: Costs };
  queue: { path: None; query: None; body: null; response: Queue };
  pauseQueue: { path: None; query: None; body: None; response: { pausedSince: number | null } };
  resumeQueue: { path: None; query: None; body: None; response: { pausedSince: number | null } };
  listWorkers: { path: None; query: None; body: null; response: { workers: WorkerRow[] } };
  drainWorker: {
    path: { worker: string };
    query: None;
    body: None;
    response: { worker: string; ended: boolean };
  };
  listTasks: { path: None; query: None; body: null; response: { tasks: TaskRow[] } };
  listSchedules: {
    path: None;
    query: None;
    body: null;
    response: { schedules: ScheduleRow[]; hosted: boolean };
  };
  listTriggers: { path: None; query: None; body: null; response: { triggers: TriggerRow[] } };
  /** `payload`: the text inside a content node, in place of the node. */
  blob: { path: { hash: string }; query: { payload?: "1" }; body: null; response: string };
  /** `body`: UTF-8, at most 64 MiB, which becomes a content node. */
  putBlob: { path: None; query: None; body: string; response: { hash: string } };
  events: { path: None; query: { topics: string }; body: null; response: string };
  deliver: { path: { trigger: string }; query: None; body: JsonObject; response: DeliveryResult };

  listClients: { path: None; query: None; body: null; response: { clients: ClientRow[] } };
  access: { path: None; query: None; body: null; response: Access };
  logIn: {
    path: None;
    query: None;
    body: { code: string } | { token: string };
    response: LoggedIn;
  };
  session: { path: None; query: None; body: null; response: Session };
  logOut: { path: None; query: None; body: None; response: { ended: boolean } };
};

export type ThreadQuery = {
  status?: ThreadStatus;
  workflow?: string;
  /** Words in the title or the prompt. */
  q?: string;
  /** `key=value`, or `key` for any value; several are separated by commas. */
  label?: string;
  /** Made at this time or later, Unix milliseconds. */
  since?: string;
  /** `next` of the page before. */
  after?: string;
  /** At most 200; default 50. */
  limit?: string;
};

export type Bulk = {
  verb: "pause" | "resume" | "stop" | "kill";
  /** 1 to 200 ids, as the list has shown them. */
  threadIds: string[];
};

export type EndpointName = keyof Api;
/** Of a client's engine, below `/api/c/:client`; the others belong to the gateway. */
export type EngineEndpoint = Exclude<EndpointName, GatewayEndpoint>;
export type GatewayEndpoint = "listClients" | "access" | "logIn" | "session" | "logOut";

export type Endpoint = {
  method: "GET" | "POST" | "PUT";
  /** With `:parameters`. Of an engine: behind `/api/c/:client`. */
  path: string;
  /** What the caller has to be allowed; `signed`: the request itself proves where it comes from; null: anybody logged
   *  in, or who logs in. */
  scope: Exclude<Scope, "engine"> | "signed" | null;
  /** One sentence. */
  summary: string;
  /** Left out: JSON of at most 1 MiB. `octets`: `application/octet-stream` of at most 64 MiB. */
  takes?: "octets";
  /** Left out: JSON. */
  returns?: "text" | "events";
  /** Its ETag names all of the answer, so that `If-None-Match` may be answered with 304. */
  named?: true;
};

export const ENDPOINTS: { readonly [name in EndpointName]: Endpoint } = {
  about: get("/about", "What the client is"),
  listWorkflows: get("/workflows", "The registered workflows"),
  showWorkflow: get("/workflows/:name", "A workflow: its descriptor with the graph, and versions"),
  workflowText: get("/workflows/:name/yaml", "The text of a workflow that was written as YAML"),
  publishWorkflow: {
    method: "PUT",
    path: "/workflows/:name",
    scope: "edit",
    summary: "Publish a workflow written as YAML, as a new version",
  },
  checkWorkflow: post("/workflows/check", "edit", "What is wrong with a text, with places in it"),
  dryRun: post("/workflows/dry-run", "edit", "Follow the rules with stubs; nothing runs"),
  teach: post("/teach", "edit", "Start a thread that drafts a workflow from somebody's words"),
  checkDraft: post("/threads/:id/check-draft", "edit", "Check and try what such a thread drafted"),
  listAgents: get("/agents", "The agents that are configured"),
  listThreads: get("/threads", "Threads, newest first, page by page"),
  startThread: post("/threads", "run", "Start a thread; Idempotency-Key is its start key"),
  showThread: get("/threads/:id", "A thread without its steps"),
  threadIndex: { ...get("/threads/:id/index", "All steps of a thread, as columns"), named: true },
  showStep: { ...get("/threads/:id/steps/:n", "A step, whole"), named: true },
  stepEvidence: get("/threads/:id/steps/:n/evidence", "What the engine saw in a step"),
  stepFiles: get("/threads/:id/steps/:n/files", "The files that a step changed"),
  stepPatch: get("/threads/:id/steps/:n/patch", "How a step changed a file, as text"),
  diffThreads: get("/threads/:a/diff/:b", "Two threads, step by step"),
  pauseThread: post("/threads/:id/pause", "run", "Pause a thread after its current step"),
  resumeThread: post("/threads/:id/resume", "run", "Continue a thread, or answer its question"),
  stopThread: post("/threads/:id/stop", "run", "End the runner of a thread now"),
  killThread: post("/threads/:id/kill", "run", "Abort a thread for good"),
  raiseLimits: post("/threads/:id/raise", "run", "Raise limits of a thread, and continue it"),
  pokeThread: post("/threads/:id/poke", "run", "Run the last step again with an extra prompt"),
  undoPoke: post("/threads/:id/unpoke", "run", "Restore the step that the last poke replaced"),
  forkThread: post("/threads/:id/fork", "run", "A new thread that shares the steps so far"),
  raceThread: post("/threads/:id/race", "run", "Several agents go on from one step, side by side"),
  answerThread: post("/threads/:id/answer", "answer", "Answer what a person is asked"),
  steerThreads: post("/threads/bulk", "run", "The same verb for several threads"),
  inbox: get("/inbox", "What waits for a person"),
  costs: get("/costs", "What was spent"),
  queue: get("/queue", "The threads that wait for room"),
  pauseQueue: post("/queue/pause", "run", "Close the queue: nothing starts"),
  resumeQueue: post("/queue/resume", "run", "Open the queue"),
  listWorkers: get("/workers", "Who runs threads of the root, and which"),
  drainWorker: post(
    "/workers/:worker/drain",
    "run",
    "Have a worker take nothing new, finish its steps, and end",
  ),
  listTasks: get("/tasks", "Worker tasks of all repositories"),
  listSchedules: get("/schedules", "Schedules, and when they are due"),
  listTriggers: get("/triggers", "Triggers, without their secrets"),
  blob: { ...get("/cas/:hash", "The bytes of a blob"), returns: "text", named: true },
  putBlob: { ...post("/cas", "run", "Store a text as a content node"), takes: "octets" },
  events: { ...get("/events", "What happens, as server-sent events"), returns: "events" },
  deliver: {
    method: "POST",
    path: "/hooks/:trigger",
    scope: "signed",
    summary: "A delivery of a webhook, signed with the trigger's secret",
  },

  listClients: { ...get("/api/gateway/endpoints", "The clients that the caller may use") },
  access: {
    ...get("/api/gateway/access", "Tokens, sessions and the latest calls"),
    scope: "edit",
  },
  logIn: { ...post("/api/gateway/login", "read", "Log in with a code or a token"), scope: null },
  session: { ...get("/api/gateway/session", "Who the caller is"), scope: null },
  logOut: { ...post("/api/gateway/logout", "read", "End the session"), scope: null },
};

function get(path: string, summary: string): Endpoint {
  return { method: "GET", path, scope: "read", summary };
}

function post(path: string, scope: "read" | "run" | "answer" | "edit", summary: string): Endpoint {
  return { method: "POST", path, scope, summary };
}

const GATEWAYS_OWN: readonly EndpointName[] = [
  "listClients",
  "access",
  "logIn",
  "session",
  "logOut",
];

/** Whether the gateway itself answers it, without a client. */
export function isGatewayEndpoint(name: EndpointName): name is GatewayEndpoint {
  return GATEWAYS_OWN.includes(name);
}
