import {
  agentRoles,
  END,
  type Failure,
  membersIn,
  ok,
  type Result,
  type RunningThread,
  type StepDirective,
  type StepRun,
  SUSPEND,
  type ThreadContext,
  unwrap,
  type WorkflowDescriptor,
  waitsOf,
} from "@uncaged/workflow-protocol";
import { storagePaths } from "@uncaged/workflow-util";
import { answerDirective } from "../chain/answer-directive.ts";
import { type Bases, basesOf, checkedAgainst } from "../chain/bases.ts";
import { type Chain, roleStates } from "../chain/chain.ts";
import { type ChainCursor, cursorAt } from "../chain/chain-cursor.ts";
import {
  type Attempts,
  type LostAttempts,
  lostAttempts,
  sumAttempts,
} from "../chain/lost-attempts.ts";
import { threadContext } from "../chain/thread-context.ts";
import { type LeaseHandle, withLease } from "../lease/with-lease.ts";
import { costMeter } from "../models/cost-meter.ts";
import { engineModels } from "../models/engine-model.ts";
import { extractor } from "../models/extract.ts";
import type { Note } from "../models/note.ts";
import { summarizer } from "../models/summarizer.ts";
import { supervisor } from "../models/supervisor.ts";
import type { Engine } from "../storage/engine.ts";
import { announceAnswers } from "./announce-answers.ts";
import { personAsker } from "./ask-person.ts";
import { roleRulesFault } from "./check-role-rules.ts";
import { runChild } from "./child-thread.ts";
import { engineRuntime } from "./engine-runtime.ts";
import { executeThread, failThread, type RunOutcome, type ThreadRun } from "./execute-thread.ts";
import { type LoadedRun, loadRun } from "./load-run.ts";
import { latePerson, recordMissed } from "./missed-deadline.ts";
import { namedAgents } from "./named-agent.ts";
import { nextPromptDirective } from "./next-prompt.ts";
import { nextRole } from "./next-role.ts";
import { waitFor } from "./person-wait.ts";
import { resultAfter } from "./result-after.ts";
import { roleAgents } from "./role-agents.ts";
import { roleChecks } from "./role-checks.ts";
import { stepFiles } from "./step-files.ts";
import { tellAsked } from "./tell-asked.ts";
import { type RoomKind, threadRoom } from "./thread-room.ts";

export type RunRequest = {
  threadId: string;
  /** null: to the end. */
  maxSteps: number | null;
  /** What to do when the limits of the root leave no room: `or queue` is for processes that nobody waits for. */
  room: RoomKind;
  /** Aborting it with an `Interruption` as its reason stops or kills; any other reason counts as a kill. */
  signal: AbortSignal;
  /** Called once the thread is owned and everything it needs is loaded. `chain`: as of that moment. */
  onReady?: (chain: Chain) => void;
};

/** Runs a thread until it ends, waits or is interrupted. */
export function runThread(
  engine: Engine,
  request: RunRequest,
): Promise<Result<RunOutcome, Failure>> {
  const { threadId, signal, room } = request;
  return withLease<RunOutcome>(engine, {
    threadId,
    signal,
    room,
    use: async (handle) => {
      const loaded = await loadRun(engine, handle.thread);
      if (!loaded.ok) return loaded;
      request.onReady?.(loaded.value.chain);
      await announceAnswers(engine.live, { threadId, chain: loaded.value.chain }, handle.emit);
      const late = latePerson(handle.before, engine.now());
      if (late === null)
        return ok(await executeThread(await nextRun(engine, handle, loaded.value, request)));
      const missed = await recordMissed(engine, handle, { loaded: loaded.value, wait: late });
      if (missed.kind === "unrouted") {
        const run = await nextRun(engine, handle, loaded.value, request);
        return ok(await failThread(run, missed.cause));
      }
      const maxSteps = request.maxSteps === null ? null : request.maxSteps - 1;
      const moved = { ...handle, thread: missed.thread };
      return ok(
        await executeThread(await nextRun(engine, moved, missed.loaded, { maxSteps, room })),
      );
    },
  });
}

/** A run that starts at the thread's head. */
async function nextRun(
  engine: Engine,
  handle: LeaseHandle,
  loaded: LoadedRun,
  { maxSteps, room }: Pick<RunRequest, "maxSteps" | "room">,
): Promise<ThreadRun> {
  const directive = await firstDirective(engine, handle.thread, loaded);
  const cursor = cursorAt(handle.thread, loaded.chain, { fence: handle.lease.fence });
  return threadRun(engine, handle, { loaded, cursor, directive, replaced: null, maxSteps, room });
}

/** A person's directive for the first step; null: the table decides. */
async function firstDirective(
  engine: Engine,
  thread: RunningThread,
  { chain, bundle }: LoadedRun,
): Promise<StepDirective | null> {
  const { pendingInput } = thread;
  if (pendingInput === null) return null;
  if (pendingInput.kind === "answer") return answerDirective(pendingInput, chain);
  const context = await threadContext(engine.cas, thread, chain);
  const { edges } = bundle.descriptor.graph;
  return nextPromptDirective(edges, { chain, context }, pendingInput.text);
}

/** Connects the parts of a run. */
export async function threadRun(
  engine: Engine,
  handle: LeaseHandle,
  opts: {
    loaded: LoadedRun;
    /** Where the first step goes. */
    cursor: ChainCursor;
    directive: StepDirective | null;
    /** The step that the first one replaces; null: none. */
    replaced: StepRun | null;
    maxSteps: number | null;
    room: RoomKind;
  },
): Promise<ThreadRun> {
  const { thread, emit } = handle;
  const room = threadRoom(engine, handle.lease, { kind: opts.room, signal: handle.signal });
  const { signal } = room;
  const { chain, origin, bundle, workflow } = opts.loaded;
  const context = await threadContext(engine.cas, thread, chain);
  const models = engineModels(engine.root);
  const watching = costMeter();
  const watcher = {
    cas: engine.cas,
    models,
    task: context.start.content,
    signal,
    note: (note: Note) => {
      watching.add(note.usage);
      takeNote(engine, handle, note);
    },
  };
  const lost = await lostAttempts(engine, thread);
  const traceparent = (await engine.traceparents?.(thread)) ?? null;
  const extraction = extractor({ cas: engine.cas, models, signal });
  const settings = unwrap(await models.settings());
  const roleAgent = roleAgents(thread, settings, context.steps);
  const files = stepFiles({
    root: engine.root,
    threadId: thread.threadId,
    fence: handle.lease.fence,
    isOn: settings.snapshots,
    // What an attempt that was cut off did to the files is the role's doing, not somebody else's.
    cutOffFrom:
      lost.begun === 0 || opts.replaced !== null
        ? null
        : (roleStates(chain).at(-1)?.node.payload.workspace ?? null),
    now: engine.now,
  });
  const bases = basesOf(chain);
  const checks = roleChecks({
    root: engine.root,
    cas: engine.cas,
    rules: bundle.descriptor.roles,
    bases,
    now: engine.now,
    tag: `${thread.threadId}:${handle.lease.fence}:check`,
    signal,
  });
  const askPerson = personAsker(engine, handle.lease, tellAsked(thread.threadId, emit));
  const runtimeAt: ThreadRun["runtimeAt"] = (cursor) =>
    engineRuntime({
      cas: engine.cas,
      extract: extraction.forStep,
      signal,
      thread,
      origin,
      directive: opts.directive,
      replaced: opts.replaced,
      unrecorded: lost.spent,
      resumes: opts.directive === null ? (context.steps.at(-1)?.group ?? null) : null,
      rules: bundle.descriptor.roles,
      fence: handle.lease.fence,
      now: engine.now,
      emit,
      storageRoot: engine.root,
      traceparent,
      homes: storagePaths(engine.root).agentHomes(thread.threadId),
      roleAgent,
      look: files.begin,
      checkFiles: async ({ role, ...place }) => checks.inWords(role, () => files.now(place)),
      agent: namedAgents(engine, room.limited),
      askPerson,
      standBack: room.standBack,
      runChild: (request) =>
        room.whileWaiting(() =>
          runChild(engine, { ...request, parent: thread, cursor: cursor(), stopped: signal }),
        ),
    });
  return {
    engine,
    thread,
    cursor: opts.cursor,
    roundHashes: roleStates(chain).map(({ hash }) => hash),
    workflow,
    context,
    files,
    runtimeAt,
    roles: new Set(agentRoles(bundle.descriptor)),
    waitedFor: (head) => (head === handle.before.head ? waitsOf(handle.before) : []),
    waitFor: (asked) => waitFor({ ...asked, roles: bundle.descriptor.roles, nowMs: engine.now() }),
    rulesFault: rulesGate(engine, bundle.descriptor, { context, bases }),
    checked: (output, workspace) => checks.of(output, workspace),
    signal,
    room,
    maxSteps: opts.maxSteps,
    costs: { extraction: extraction.takeCost, watching: watching.take, lost: once(lost) },
    supervise: supervisor(watcher),
    summarize: summarizer(watcher),
    noAgentNext: async (steps) =>
      !isAgents(
        await nextRole(thread, bundle.descriptor, { ...context, steps }),
        bundle.descriptor,
      ),
    resultAfter: (steps) => resultAfter(bundle.descriptor, { ...context, steps }),
    emit,
  };
}

/** Whether only agents run what the table names next: a role that agents play, or a group without people. */
function isAgents(next: string | null, { roles, graph }: WorkflowDescriptor): boolean {
  if (next === null || next === END || next === SUSPEND) return false;
  const groups = graph.edges.flatMap(({ group }) => (group?.name === next ? [group] : []));
  const played = groups.length === 0 ? [next] : groups.flatMap(membersIn).map(({ role }) => role);
  return !played.some((role) => Object.hasOwn(roles, role) && roles[role]?.person !== undefined);
}

/** An accepted step counts as an earlier one for the next. */
function rulesGate(
  { cas }: Pick<Engine, "cas">,
  { roles }: WorkflowDescriptor,
  { context, bases }: { context: ThreadContext; bases: Bases },
): ThreadRun["rulesFault"] {
  const earlier = new Set(context.steps.flatMap(({ run }) => run?.evidence ?? []));
  return async ({ role, outcome, run = null }, workspace) => {
    const files = workspace === null ? null : checkedAgainst(bases, workspace);
    const step = { role, outcome, run, files };
    const fault = await roleRulesFault(cas, roles[role] ?? {}, { step, earlier });
    if (fault === null) for (const hash of run?.evidence ?? []) earlier.add(hash);
    return fault;
  };
}

/** Each cost is stored in exactly one record: a member's in its own, the rest in that of the next step. */
function once(lost: LostAttempts): ThreadRun["costs"]["lost"] {
  const members = new Map(lost.apart?.members);
  let others: Attempts | null = lost.apart?.others ?? lost;
  return (member) => {
    const taken =
      member === undefined
        ? sumAttempts([...(others === null ? [] : [others]), ...members.values()])
        : (members.get(member) ?? null);
    if (member !== undefined) members.delete(member);
    else {
      members.clear();
      others = null;
    }
    return taken === null || (taken.begun === 0 && taken.spent.length === 0) ? null : taken;
  };
}

function takeNote({ now }: Engine, { thread, emit, log }: LeaseHandle, note: Note): void {
  const cost = note.usage === null ? "" : ` ${JSON.stringify(note.usage)}`;
  log.write("4B8TZQ6M", `${note.about}: ${note.message}${cost}`);
  emit({ threadId: thread.threadId, timestamp: now(), type: "note", ...note });
}
