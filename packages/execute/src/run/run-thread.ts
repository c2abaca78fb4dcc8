import {
  agentRoles,
  END,
  type Failure,
  failure,
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
  WorkflowError,
  waitsOf,
} from "@uncaged/workflow-protocol";
import type { CheckSettings } from "@uncaged/workflow-register";
import { isShared, storagePaths } from "@uncaged/workflow-util";
import type { CheckPlaces } from "@uncaged/workflow-workspace";
import { ANSWER, answerDirective, MESSAGE } from "../chain/answer-directive.ts";
import { type Chain, roleStates } from "../chain/chain.ts";
import { type ChainCursor, cursorAt } from "../chain/chain-cursor.ts";
import { isWorker } from "../chain/is-worker.ts";
import {
  type Attempts,
  type LostAttempts,
  lostAttempts,
  sumAttempts,
} from "../chain/lost-attempts.ts";
import { openNotes } from "../chain/notes.ts";
import { checkedAgainst, isApproval, type Proofs, proofAfter, proofsOf } from "../chain/proofs.ts";
import { threadContext } from "../chain/thread-context.ts";
import { type LeaseHandle, withLease } from "../lease/with-lease.ts";
import { costMeter } from "../models/cost-meter.ts";
import { engineModels } from "../models/engine-model.ts";
import { extractor } from "../models/extract.ts";
import type { Note } from "../models/note.ts";
import { summarizer } from "../models/summarizer.ts";
import { supervisor } from "../models/supervisor.ts";
import { runningHost } from "../processes/host-file.ts";
import { readThread } from "../read/read-thread.ts";
import type { Engine } from "../storage/engine.ts";
import { bringFiles } from "../travel/bring-files.ts";
import { thisMachine } from "../travel/machine.ts";
import type { Travel } from "../travel/save-files.ts";
import { lastFiles, mayComeHere } from "../travel/saved-files.ts";
import { rulesHeld } from "../workers/coordinator-rules.ts";
import { isCoordinated, mayBegin, releaseWorkers } from "../workers/held-workers.ts";
import { workerCalls } from "../workers/worker-calls.ts";
import { tidyWorktrees } from "../worktrees/take-back.ts";
import { announceAnswers } from "./announce-answers.ts";
import { personAsker } from "./ask-person.ts";
import { holdStep } from "./check-role-rules.ts";
import { runChild } from "./child-thread.ts";
import { coordination, scratchOf } from "./coordination.ts";
import { engineRuntime } from "./engine-runtime.ts";
import { executeThread, failThread, type RunOutcome, type ThreadRun } from "./execute-thread.ts";
import { type LoadedRun, loadRun } from "./load-run.ts";
import { memberWorktrees } from "./member-worktrees.ts";
import { latePerson, recordMissed } from "./missed-deadline.ts";
import { namedAgents } from "./named-agent.ts";
import { nextPromptDirective } from "./next-prompt.ts";
import { nextRole } from "./next-role.ts";
import { waitFor } from "./person-wait.ts";
import { resultAfter } from "./result-after.ts";
import { roleAgents } from "./role-agents.ts";
import { roleChecks } from "./role-checks.ts";
import { stepCommands } from "./step-commands.ts";
import { filesFound, stepFiles } from "./step-files.ts";
import { stepTasks } from "./step-tasks.ts";
import { tellAsked } from "./tell-asked.ts";
import { type HandOver, type RoomKind, threadRoom } from "./thread-room.ts";
import { mayWork, standWorktrees } from "./work-place.ts";

export type RunRequest = {
  threadId: string;
  /** null: to the end. */
  maxSteps: number | null;
  /** What to do when the limits of the root leave no room: `or queue` is for processes that nobody waits for. */
  room: RoomKind;
  /** Who runs it, as in `ThreadStore.acquire`. */
  worker?: string | null;
  /** When it is to go on elsewhere; left out: never. */
  handOver?: HandOver | undefined;
  /** Aborting it with an `Interruption` as its reason stops or kills; any other reason counts as a kill. */
  signal: AbortSignal;
  /** Called once the thread is owned and everything it needs is loaded. `chain`: as of that moment. */
  onReady?: (chain: Chain) => void;
};

/** Runs a thread until it ends, waits or is interrupted. `WORKSPACE_ELSEWHERE`: its files are on another machine only. */
export async function runThread(
  engine: Engine,
  request: RunRequest,
): Promise<Result<RunOutcome, Failure>> {
  const { threadId, signal, room, worker } = request;
  // Before the lease: a thread that cannot come here stays as it is, and its own machine finds it.
  const standing = isShared(engine.root) ? await engine.store.get(threadId) : null;
  const here = standing === null ? ok(null) : await mayComeHere(engine, standing);
  if (!here.ok) return here;
  return withLease<RunOutcome>(engine, {
    threadId,
    signal,
    room,
    worker,
    use: async (handle) => {
      const loaded = await loadRun(engine, handle.thread);
      if (!loaded.ok) return loaded;
      const { thread } = handle;
      const { chain, bundle } = loaded.value;
      const coordinated = await mayBegin(engine, thread);
      if (!coordinated.ok) return coordinated;
      const alone = await mayWork(engine, thread, bundle.descriptor);
      if (!alone.ok) {
        // The host asks again; nobody else would.
        if (room === "or nothing" || runningHost(engine.root) === null) return alone;
        request.onReady?.(chain);
        return ok(await waitForPlace(engine, thread));
      }
      request.onReady?.(chain);
      const placed = await bringFiles(engine, thread, chain);
      if (!placed.ok) {
        handle.log.write("T6RKV2N9", placed.error.message);
        // The remote may be back soon, and another machine may reach it.
        if (room === "or nothing" || runningHost(engine.root) === null) return placed;
        return ok(await waitForPlace(engine, thread));
      }
      const at = { ...handle, thread: { ...thread, cwd: placed.value.cwd } };
      return runFrom(engine, at, loaded.value, request);
    },
  });
}

const LOOK_AGAIN_MS = 5_000;

/** Queued, because another thread works in its work tree, or its files cannot be fetched now. */
async function waitForPlace(
  { store, now }: Pick<Engine, "store" | "now">,
  { threadId, lease: { fence } }: RunningThread,
): Promise<RunOutcome> {
  const nowMs = now();
  const queue = { since: nowMs, for: [], notBefore: nowMs + LOOK_AGAIN_MS };
  await store.release({ threadId, fence, nowMs, to: { status: "queued", queue } });
  return { status: "queued" };
}

/** The thread is ours, and may work: to its end, or until it rests. */
async function runFrom(
  engine: Engine,
  handle: LeaseHandle,
  loaded: LoadedRun,
  request: RunRequest,
): Promise<Result<RunOutcome, Failure>> {
  const { thread, signal } = handle;
  const { chain } = loaded;
  await announceAnswers(engine.live, { threadId: thread.threadId, chain }, handle.emit);
  const stands = await standWorktrees(engine, thread, { chain, cwd: thread.cwd, signal });
  // What git cannot do now may be possible later; a setup that fails is the repository's, and shows as the thread's end.
  if (!stands.ok && !signal.aborted) {
    if (stands.error.code !== "SETUP_FAILED") return stands;
    const run = await nextRun(engine, handle, loaded, request);
    return ok(await failThread(run, new WorkflowError(stands.error)));
  }
  const late = latePerson(handle.before, engine.now());
  if (late === null) return ok(await execute(await nextRun(engine, handle, loaded, request)));
  const missed = await recordMissed(engine, handle, { loaded, wait: late });
  if (missed.kind === "unrouted") {
    const run = await nextRun(engine, handle, loaded, request);
    return ok(await failThread(run, missed.cause));
  }
  const { maxSteps } = request;
  const left = maxSteps === null ? null : maxSteps - 1;
  const moved = { ...handle, thread: missed.thread };
  const run = await nextRun(engine, moved, missed.loaded, { ...request, maxSteps: left });
  return ok(await execute(run));
}

/** Workers wait for as long as their coordinator may have them go on. */
async function execute(run: ThreadRun): Promise<RunOutcome> {
  const outcome = await executeThread(run);
  if ("returnCode" in outcome) await run.releaseWorkers();
  return outcome;
}

/** A run that starts at the thread's head. */
async function nextRun(
  engine: Engine,
  handle: LeaseHandle,
  loaded: LoadedRun,
  { maxSteps, room, handOver }: Pick<RunRequest, "maxSteps" | "room" | "handOver">,
): Promise<ThreadRun> {
  const directive = await firstDirective(engine, handle.thread, loaded);
  const cursor = cursorAt(handle.thread, loaded.chain, { fence: handle.lease.fence });
  const how = { maxSteps, room, handOver };
  return threadRun(engine, handle, { loaded, cursor, directive, replaced: null, ...how });
}

/** A person's directive for the first step; null: the table decides. */
async function firstDirective(
  engine: Engine,
  thread: RunningThread,
  { chain, bundle }: LoadedRun,
): Promise<StepDirective | null> {
  const { pendingInput } = thread;
  if (pendingInput === null) return null;
  const context = await threadContext(engine.cas, thread, chain);
  if (pendingInput.kind === "answer") {
    const next = await nextRole(thread, bundle.descriptor, context);
    return answerDirective(pendingInput, chain, next === END ? MESSAGE : ANSWER);
  }
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
    handOver?: HandOver | undefined;
  },
): Promise<ThreadRun> {
  const { thread, emit } = handle;
  const room = threadRoom(engine, handle.lease, {
    kind: opts.room,
    signal: handle.signal,
    handOver: opts.handOver,
  });
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
    travel: await travelOf(engine, thread),
  });
  const rules = heldRules(bundle.descriptor);
  const proofs = proofsOf(chain);
  const checks = roleChecks({
    root: engine.root,
    cas: engine.cas,
    rules,
    proofs,
    places: placesOf(settings),
    now: engine.now,
    tag: `${thread.threadId}:${handle.lease.fence}:check`,
    signal,
  });
  const coordinating = coordination({
    ...{ engine, thread, chain, emit, signal },
    descriptor: bundle.descriptor,
    whileWaiting: room.whileWaiting,
  });
  const worker = await isWorker(engine.cas, thread);
  // A crash may have come between the step and this.
  if (coordinates(bundle.descriptor) && openNotes(chain.states).length === 0)
    await releaseWorkers(engine, thread.threadId);
  const calls = worker
    ? workerCalls(engine, handle.lease, {
        lost: lost.spent.map(({ usage }) => usage),
        whileWaiting: room.whileWaiting,
        tell: (message) =>
          emit({
            ...{ threadId: thread.threadId, timestamp: engine.now(), type: "note" },
            ...{ about: "worker", message, usage: null },
          }),
        signal,
      })
    : null;
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
      rules,
      fence: handle.lease.fence,
      now: engine.now,
      emit,
      storageRoot: engine.root,
      isolation: settings.isolation,
      traceparent,
      homes: storagePaths(engine.root).agentHomes(thread.threadId),
      roleAgent,
      look: files.begin,
      memberPlace: memberWorktrees(engine, {
        ...{ thread, chain, signal },
        worktrees: settings.tasks.worktrees,
      }),
      checkFiles: async ({ role, ...place }) => checks.inWords(role, () => files.now(place)),
      agent: namedAgents(engine, room.limited),
      askPerson,
      readThread: (page) => readThread(engine, thread.threadId, page),
      tasksOf: stepTasks(engine, { thread, reviewers: settings.tasks.reviewers }),
      commandsOf: (step) => stepCommands(engine, { threadId: thread.threadId, ...step }),
      standBack: room.standBack,
      workers: (step) => {
        if (worker && step.rules?.coordinates !== undefined)
          throw new WorkflowError(workerCoordinates(thread.threadId, step.role));
        return coordinating.enter(step, cursor);
      },
      scratch: (ofRole) => {
        if (ofRole?.coordinates !== undefined) return scratchOf(engine.root, thread.threadId);
        return worker && thread.parentThread !== null
          ? scratchOf(engine.root, thread.parentThread)
          : null;
      },
      isWorker: worker,
      calls,
      runChild: (request) =>
        room.whileWaiting(() =>
          runChild(engine, { ...request, parent: thread, cursor: cursor.now(), stopped: signal }),
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
    filesFound: (role, { rounds }) =>
      filesFound(engine, proofs, { threadId: thread.threadId, round: rounds + 1, role }),
    runtimeAt,
    takeBackFiles: (head) => tidyWorktrees(engine, { ...thread, head }),
    endCoordination: coordinating.close,
    endCall: async (group, usage) => calls?.end(group, usage),
    releaseWorkers: async () => {
      if (coordinates(bundle.descriptor)) await releaseWorkers(engine, thread.threadId);
    },
    isHeld: async () => worker && (await isCoordinated(engine, thread)),
    roles: new Set(agentRoles(bundle.descriptor)),
    waitedFor: (head) => (head === handle.before.head ? waitsOf(handle.before) : []),
    waitFor: (asked) => waitFor({ ...asked, roles: bundle.descriptor.roles, nowMs: engine.now() }),
    held: rulesGate(engine, rules, { context, proofs }),
    proofAfter: (step) => proofAfter(proofs, step, (checked) => isApproval(step, checked, rules)),
    checked: (output, workspace) => checks.of(output, workspace),
    isolation: settings.isolation,
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

/** null: the root is in its folder. */
async function travelOf({ root, cas }: Engine, thread: RunningThread): Promise<Travel | null> {
  if (!isShared(root)) return null;
  const last = await lastFiles(cas, thread);
  const machine = await thisMachine(root);
  return { machine, cwd: thread.cwd, ...(last === null ? {} : { remote: last.saved.remote }) };
}

/** Named variables that are not set stay so. */
function placesOf({ checks }: { checks: CheckSettings }): CheckPlaces {
  const given = checks.variables.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { path: checks.path, variables: Object.fromEntries(given) };
}

/** Whether only agents run what the table names next: a role that agents play, or a group without people. */
function isAgents(next: string | null, { roles, graph }: WorkflowDescriptor): boolean {
  if (next === null || next === END || next === SUSPEND) return false;
  const groups = graph.edges.flatMap(({ group }) => (group?.name === next ? [group] : []));
  const played = groups.length === 0 ? [next] : groups.flatMap(membersIn).map(({ role }) => role);
  return !played.some((role) => Object.hasOwn(roles, role) && roles[role]?.person !== undefined);
}

function workerCoordinates(threadId: string, role: string): Failure {
  return failure(
    "MAX_DEPTH",
    `role ${role} of thread ${threadId} may not coordinate: the thread is a worker, and workers start no threads`,
    "leave its workflow out of the coordinator's `workflows`",
  );
}

function coordinates({ roles }: WorkflowDescriptor): boolean {
  return Object.values(roles).some((role) => role.coordinates !== undefined);
}

function heldRules({ roles }: WorkflowDescriptor): WorkflowDescriptor["roles"] {
  return Object.fromEntries(Object.entries(roles).map(([name, role]) => [name, rulesHeld(role)]));
}

/** An accepted step counts as an earlier one for the next. */
function rulesGate(
  { cas }: Pick<Engine, "cas">,
  roles: WorkflowDescriptor["roles"],
  { context, proofs }: { context: ThreadContext; proofs: Proofs },
): ThreadRun["held"] {
  const earlier = new Set(context.steps.flatMap(({ run }) => run?.evidence ?? []));
  return async ({ role, outcome, run = null }, workspace) => {
    const files = workspace === null ? null : checkedAgainst(proofs, workspace);
    const step = { role, outcome, run, files };
    const held = await holdStep(cas, roles[role] ?? {}, { step, earlier });
    if (held.fault === null) for (const hash of run?.evidence ?? []) earlier.add(hash);
    return held;
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
