/** What each endpoint of an engine does: the same as the command, with the same functions and the same documents. */
import { userInfo } from "node:os";
import {
  answerThread,
  askLeftBehind,
  diffThreads,
  type Engine,
  type ForkPoint,
  findThread,
  openTasks,
  startRace,
  stepChanges,
  stepPatch,
  stepProofs,
  threadHead,
  threadStep,
} from "@uncaged/workflow-execute";
import type {
  About,
  Api,
  BulkResult,
  EngineEndpoint,
  Scope,
  ThreadHead,
  ThreadQuery,
  ThreadRow,
} from "@uncaged/workflow-gateway/contract";
import {
  DEFAULT_POOL,
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import { getBlob } from "../cas/get.ts";
import { storeText } from "../cas/put.ts";
import { cliVersion } from "../command/cli-version.ts";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { usageError } from "../command/options.ts";
import { failureOfThrown } from "../command/render-error.ts";
import { pokeApart } from "../mcp/poke-apart.ts";
import { listSchedules } from "../schedule/list.ts";
import { shownTask } from "../task/shown-task.ts";
import { beginTeaching, checkDraft } from "../teach/teach.ts";
import { costs } from "../thread/look/costs.ts";
import { list as listThreads } from "../thread/look/list.ts";
import { showQueue, steerQueue } from "../thread/look/queue.ts";
import { runWorkflow } from "../thread/start/run.ts";
import { fork } from "../thread/steer/fork.ts";
import { undo } from "../thread/steer/poke.ts";
import { kill, pause, resume, stop } from "../thread/steer/steer.ts";
import { standing } from "../thread/steer/steered.ts";
import { listTriggers } from "../trigger/list.ts";
import { workerNotFound } from "../worker/drain.ts";
import { list as listWorkflows } from "../workflow/list.ts";
import { show as showWorkflow } from "../workflow/show.ts";
import { versionText } from "../workflow/yaml-text.ts";
import { checkText, dryRunText, publishText } from "./check-text.ts";
import { threadIndex } from "./thread-index.ts";

export type EngineWorld = {
  io: Io;
  engine: Engine;
  allow: readonly Exclude<Scope, "engine">[];
};

/** Who calls, and under which conditions. */
export type Conditions = {
  who: string;
  /** The head, or the version, that the caller has seen; null: any. */
  ifMatch: string | null;
  startKey: string | null;
};

type Call<Name extends EngineEndpoint> = {
  path: Api[Name]["path"];
  query: Api[Name]["query"];
  body: Api[Name]["body"];
} & Conditions;

/** `etag`: what a change may be made dependent on. */
export type Answer = { value: unknown; etag?: string };

/** Without those that are no plain call: deliveries, events and blobs. */
export type CallName = Exclude<EngineEndpoint, "deliver" | "events">;

export const ENGINE_CALLS: {
  readonly [Name in CallName]: (
    call: Call<Name>,
    world: EngineWorld,
  ) => Promise<Result<Answer, Failure>>;
} = {
  about: async (_call, { io, allow, engine }) => {
    const about: About = {
      ...{ version: cliVersion(), cwd: io.cwd, user: currentUser() },
      ...{ allow: [...allow], nowMs: engine.now() },
    };
    return ok({ value: about });
  },
  listWorkflows: async (_call, { io }) => documentOf(await listWorkflows(io)),
  showWorkflow: async ({ path, query }, { io }) => {
    const version = query.version === undefined ? {} : { version: query.version };
    return documentOf(
      await showWorkflow(path.name, { graph: false, mermaid: false, ...version }, io),
    );
  },
  workflowText: async ({ path, query }, { io }) =>
    answerOf(await versionText(path.name, query.version ?? null, io)),
  publishWorkflow: async ({ path: { name }, body: { yaml }, ifMatch }, { io }) =>
    documentOf(await publishText({ name, yaml, onTopOf: ifMatch }, io)),
  checkWorkflow: async ({ body: { yaml } }, { io }) => answerOf(await checkText(yaml, io)),
  dryRun: async ({ body }, { io }) => answerOf(await dryRunText(body, io)),
  teach: async ({ body }, { io, engine }) => {
    const begun = await beginTeaching(body.words, engine, io);
    return begun.ok ? ok({ value: { threadId: begun.value.threadId } }) : begun;
  },
  checkDraft: (call, world) =>
    withThread(call, world, async (thread, { io, engine }) => {
      const checked = await checkDraft(engine, thread, io);
      if (!checked.ok) return checked;
      return ok({ value: standing(checked.value, engine.now()), etag: checked.value.head });
    }),
  listAgents: async (_call, { engine }) => {
    const settings = await readSettings(engine.root);
    if (!settings.ok) return settings;
    const { agents, defaultAgent } = settings.value;
    return ok({ value: { agents: [...agents.keys()].map((name) => ({ name })), defaultAgent } });
  },
  listThreads: async ({ query }, { io, engine }) => threadPage(query, { io, engine }),
  startThread: async ({ body, startKey }, { io }) => {
    const { workflow, prompt, cwd = null, limits = null, title = null, labels = {} } = body;
    const { priority = 0, run = "background", pool = DEFAULT_POOL, needs = [] } = body;
    if (limits?.roles !== undefined) return err(noRoleLimits());
    const queue = typeof run === "object" ? run : null;
    return documentOf(
      await runWorkflow(
        {
          ...{ workflow, prompt: { kind: "text", text: prompt }, startKey, cwd, limits, title },
          labels,
          queueing: { priority, queue, pool, needs },
          stay: run === "idle" ? "idle" : "background",
        },
        io,
      ),
    );
  },
  showThread: (call, world) =>
    withThread(call, world, async (thread, { engine }) => {
      const { stepCount, createdAt, updatedAt, parentThread, limits, agent } = thread;
      const value: ThreadHead = {
        ...(await threadHead(engine, thread)),
        ...{ stepCount, createdAt, updatedAt, parentThread, limits, agent },
      };
      return ok({ value, etag: thread.head });
    }),
  threadIndex: (call, world) =>
    withThread(call, world, async (thread, { engine }) =>
      ok({ value: await threadIndex(engine, thread), etag: thread.head }),
    ),
  showStep: (call, world) =>
    withThread(call, world, async (thread, { engine }) => {
      const step = await threadStep(engine, thread, Number(call.path.n));
      if (!step.ok) return step;
      const { threadId, head } = thread;
      return ok({ value: { threadId, head, step: step.value }, etag: head });
    }),
  stepEvidence: (call, world) =>
    withThread(call, world, async (thread, { engine }) => {
      const round = Number(call.path.n);
      const evidence = await stepProofs(engine, thread, round);
      if (!evidence.ok) return evidence;
      return ok({ value: { threadId: thread.threadId, round, evidence: evidence.value } });
    }),
  stepFiles: (call, world) =>
    withThread(call, world, async (thread, { engine }) =>
      answerOf(await stepChanges(engine, thread, Number(call.path.n))),
    ),
  stepPatch: (call, world) =>
    withThread(call, world, async (thread, { engine }) => {
      const { path, query } = call;
      return answerOf(await stepPatch(engine, thread, { round: Number(path.n), path: query.path }));
    }),
  diffThreads: async ({ path }, { engine }) => {
    const a = await findThread(engine, path.a);
    if (!a.ok) return a;
    const b = await findThread(engine, path.b);
    if (!b.ok) return b;
    return ok({ value: await diffThreads(engine, a.value, b.value) });
  },
  pauseThread: (call, world) => steer(call, world, pause),
  resumeThread: (call, world) => {
    const { answer } = call.body;
    const source = answer === undefined ? null : ({ kind: "text", text: answer } as const);
    return steer(call, world, (choice, io) =>
      resume({ choice, answer: source, limits: null, stay: "background" }, io),
    );
  },
  stopThread: (call, world) => steer(call, world, stop),
  killThread: (call, world) => steer(call, world, kill),
  raiseLimits: (call, world) => {
    const { limits } = call.body;
    return steer(call, world, (choice, io) =>
      resume({ choice, answer: null, limits, stay: "background" }, io),
    );
  },
  pokeThread: (call, world) => withThread(call, world, (thread) => poke(thread, call.body, world)),
  undoPoke: (call, world) =>
    withThread(call, world, async ({ threadId }, { io }) => documentOf(await undo(threadId, io))),
  forkThread: (call, world) =>
    withThread(call, world, async ({ threadId: id }, { io }) => {
      const { from, prompt, agent = null, bundle = null, limits } = call.body;
      if (limits?.roles !== undefined) return err(noRoleLimits());
      return documentOf(
        await fork(
          {
            ...{
              id,
              from: pointOf(from),
              agent,
              bundle,
              files: call.body.files === true ? "own" : "as known",
              startKey: call.startKey,
              run: call.body.run ?? "background",
            },
            prompt: prompt === undefined ? null : { kind: "text", text: prompt },
            limits: limits ?? null,
          },
          io,
        ),
      );
    }),
  raceThread: (call, world) =>
    withThread(call, world, async (thread, { engine }) => {
      const { from, agents, limits = null, files = false } = call.body;
      if (limits?.roles !== undefined) return err(noRoleLimits());
      return answerOf(
        await startRace(engine, thread, {
          ...{ from: pointOf(from), agents, limits, startKey: call.startKey },
          files: files ? "own" : "as known",
        }),
      );
    }),
  answerThread: (call, world) =>
    withThread(call, world, async (thread, { io, engine }) => {
      const { meta, member = null } = call.body;
      await askLeftBehind(engine, [thread], io.interruption());
      const found = (await engine.store.get(thread.threadId)) ?? thread;
      const answered = await answerThread(engine, found, { meta, user: call.who, member });
      if (!answered.ok) return answered;
      return ok({ value: standing(answered.value, engine.now()), etag: answered.value.head });
    }),
  steerThreads: async ({ body }, world) => ok({ value: await steerAll(body, world) }),
  inbox: async ({ query: { workflow = null } }, { io }) =>
    documentOf(
      await listThreads({ ...EVERYTHING, workflow, status: "suspended", asking: true }, io),
    ),
  costs: async ({ query: { by = "day", since } }, { io }) => {
    const withinMs = since === undefined ? null : io.now() - Date.parse(since);
    if (Number.isNaN(withinMs)) throw usageError("since is no day", "give it as 2026-11-22");
    return documentOf(await costs({ by, withinMs }, io));
  },
  queue: async (_call, { io }) => documentOf(await showQueue(io)),
  pauseQueue: async (_call, { io }) => documentOf(await steerQueue("pause", io)),
  resumeQueue: async (_call, { io }) => documentOf(await steerQueue("resume", io)),
  listWorkers: async (_call, { engine }) => {
    const workers = await engine.workers.list(engine.now());
    return ok({ value: { workers: workers.map(({ process: _process, ...row }) => row) } });
  },
  drainWorker: async ({ path: { worker } }, { engine }) => {
    const isThere = await engine.workers.drain({ worker, nowMs: engine.now() });
    return isThere ? ok({ value: { worker, ended: false } }) : err(workerNotFound(worker));
  },
  listTasks: async (_call, { engine }) => {
    const store = await openTasks(engine.root);
    try {
      const tasks = await store.list(null);
      return ok({ value: { tasks: tasks.map((task) => shownTask(task, engine.now())) } });
    } finally {
      await store.close();
    }
  },
  listSchedules: async (_call, { io }) => documentOf(await listSchedules(io)),
  listTriggers: async (_call, { io }) => documentOf(await listTriggers(io)),
  blob: async ({ path: { hash }, query }, { io }) => {
    const blob = await getBlob({ hash, payload: query.payload !== undefined }, io);
    if (!blob.ok) return blob;
    return ok({ value: "verbatim" in blob.value ? blob.value.verbatim : "", etag: hash });
  },
  putBlob: async ({ body }, { io }) => {
    const stored = await storeText(body, io);
    return stored.ok ? ok({ value: { hash: stored.value }, etag: stored.value }) : stored;
  },
};

const EVERYTHING = { limit: null, withinMs: null, text: null, labels: {} } as const;
const PAGE = 50;
const MOST = 200;

async function threadPage(
  query: ThreadQuery,
  { io, engine }: Pick<EngineWorld, "io" | "engine">,
): Promise<Result<Answer, Failure>> {
  const limit = Math.min(MOST, query.limit === undefined ? PAGE : Number(query.limit));
  const after = query.after === undefined ? {} : { after: placeIn(query.after) };
  const listed = await listThreads(
    {
      workflow: query.workflow ?? null,
      status: query.status ?? null,
      withinMs: query.since === undefined ? null : engine.now() - Number(query.since),
      text: query.q ?? null,
      labels: labelsIn(query.label),
      // One more tells whether there are more.
      limit: limit + 1,
      ...after,
    },
    io,
  );
  if (!listed.ok) return listed;
  const found = threadsIn(listed.value);
  const threads = found.slice(0, limit);
  const last = found.length > limit ? threads.at(-1) : undefined;
  const next = last === undefined ? null : `${last.createdAt}.${last.threadId}`;
  return ok({ value: { threads, next } });
}

function placeIn(cursor: string): { createdAt: number; threadId: string } {
  const [, createdAt, threadId] = /^(\d{1,15})\.(\w{26})$/.exec(cursor) ?? [];
  if (createdAt === undefined || threadId === undefined)
    throw usageError("after is no place in the list", "give `next` of the page before");
  return { createdAt: Number(createdAt), threadId };
}

function labelsIn(text: string | undefined): { [key: string]: string | null } {
  const given = (text ?? "").split(",").filter((each) => each !== "");
  return Object.fromEntries(
    given.map((each): [string, string | null] => {
      const at = each.indexOf("=");
      return at < 0 ? [each, null] : [each.slice(0, at), each.slice(at + 1)];
    }),
  );
}

async function withThread(
  { path: { id }, ifMatch }: { path: { id: string } } & Conditions,
  world: EngineWorld,
  use: (thread: ThreadRecord, world: EngineWorld) => Promise<Result<Answer, Failure>>,
): Promise<Result<Answer, Failure>> {
  const thread = await findThread(world.engine, id);
  if (!thread.ok) return thread;
  if (ifMatch !== null && ifMatch !== thread.value.head) return err(changed(thread.value.threadId));
  return use(thread.value, world);
}

type SteerCommand = typeof pause;

function steer(
  call: { path: { id: string } } & Conditions,
  world: EngineWorld,
  command: SteerCommand,
): Promise<Result<Answer, Failure>> {
  return withThread(call, world, async ({ threadId: id }, { io }) => {
    const steered = await command({ kind: "one", id }, io);
    if (!steered.ok) return steered;
    return ok({ value: documentIn(steered.value), etag: headIn(steered.value).head });
  });
}

const VERBS: { readonly [verb in Api["steerThreads"]["body"]["verb"]]: SteerCommand } = {
  pause,
  resume: (choice, io) => resume({ choice, answer: null, limits: null, stay: "background" }, io),
  stop,
  kill,
};

/** One after the other: each is a separate wish, and one that fails does not keep the others. */
async function steerAll(
  { verb, threadIds }: Api["steerThreads"]["body"],
  world: EngineWorld,
): Promise<BulkResult> {
  const threads: BulkResult["threads"] = [];
  for (const threadId of threadIds) {
    const done = await steer(
      { path: { id: threadId }, ...UNCONDITIONAL },
      world,
      VERBS[verb],
    ).catch((thrown) => err(failureOfThrown(thrown)));
    const document: BulkResult["threads"][number] = done.ok
      ? JSON.parse(JSON.stringify(done.value.value))
      : { threadId, error: { ...done.error } };
    threads.push(document);
  }
  return { threads };
}

const UNCONDITIONAL: Conditions = { who: "", ifMatch: null, startKey: null };

/** How long a refusal may take. */
const REFUSED_WITHIN_MS = 2_500;

/** A bundle's code runs in a process of its own, which goes on when the caller goes away. The answer does not wait for
 *  the step, only for a refusal. */
async function poke(
  { threadId, head }: ThreadRecord,
  { prompt, agent }: Api["pokeThread"]["body"],
  { io, engine }: EngineWorld,
): Promise<Result<Answer, Failure>> {
  const { signal } = new AbortController();
  const done = pokeApart({ id: threadId, prompt, agent: agent ?? null, signal }, io);
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(resolve, REFUSED_WITHIN_MS, null);
  const soon = await Promise.race([done, late]);
  clearTimeout(timer);
  if (soon !== null) return documentOf(soon);
  const now = await engine.store.get(threadId);
  const { status } = standing(now ?? (await mustFind(engine, threadId)), engine.now());
  return ok({ value: { threadId, head: null, previousHead: head, status } });
}

async function mustFind(engine: Engine, threadId: string): Promise<ThreadRecord> {
  const found = await findThread(engine, threadId);
  if (found.ok) return found.value;
  throw usageError(found.error.message, found.error.hint);
}

function pointOf(from: Api["forkThread"]["body"]["from"]): ForkPoint {
  if (from === undefined) return { kind: "head" };
  return "step" in from ? { kind: "step", step: from.step } : { kind: "role", role: from.role };
}

function documentOf(output: Result<Output, Failure>): Result<Answer, Failure> {
  return output.ok ? ok({ value: documentIn(output.value) }) : output;
}

function answerOf<T>(result: Result<T, Failure>): Result<Answer, Failure> {
  return result.ok ? ok({ value: result.value }) : result;
}

function documentIn(output: Output): unknown {
  return "document" in output ? output.document : null;
}

function threadsIn(output: Output): ThreadRow[] {
  const document: { threads: ThreadRow[] } = JSON.parse(JSON.stringify(documentIn(output)));
  return document.threads;
}

function headIn(output: Output): { head: string; hash: string } {
  const document: { head: string; hash: string } = JSON.parse(JSON.stringify(documentIn(output)));
  return document;
}

/** Who runs the engine. A container may have a number without a name. */
function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}

function noRoleLimits(): Failure {
  return failure(
    "USAGE",
    "a new thread takes limits of the thread, not of its roles",
    "raise those of a role once it has reached them",
  );
}

function changed(threadId: string): Failure {
  return failure(
    "CHANGED_MEANWHILE",
    `thread ${threadId} is not what you have seen any more; nothing was changed`,
    "look at it again, then repeat the call with its new ETag",
  );
}
