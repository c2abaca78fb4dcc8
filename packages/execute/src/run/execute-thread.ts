/** Drives a workflow function from the thread's current position to its end, a gate, or a step limit.
 *
 *  1. One output, one step: it is stored and published before the function is asked again. If it yields a group, each
 *     member is a step (`run-group`).
 *  2. What a bundle yields is untrusted: it is parsed before any of it is used.
 *  3. An error of the workflow or its agent ends the thread as `failed`, with its cause. An error of our own storage
 *     does not: it is thrown, the step is not acknowledged, and the thread can be resumed.
 *  4. A result that violates its role's rules does not become a step, whatever adapter produced it.
 *  5. A stop or kill that arrives while an agent finishes does not lose the finished step. */
import {
  AgentError,
  type EngineRuntime,
  EXIT,
  exitCodeOf,
  type Failure,
  failure,
  failureFrom,
  type GroupJoin,
  isPersonWait,
  type LiveEvent,
  limitInWords,
  ok,
  type PersonWait,
  type RecordedResult,
  type Result,
  type RoleGroup,
  type RoleOutput,
  type RoleStep,
  type RunningThread,
  type SignalKind,
  type StepGroup,
  type StepProof,
  type StepRoute,
  type StepWorkspace,
  type Suspension,
  stepsBeforeGroup,
  type ThreadContext,
  type ThreadEnding,
  type Usage,
  type Wait,
  type Waits,
  type WorkflowCompletion,
  WorkflowError,
  type WorkflowFn,
  type YieldAnswer,
  yieldedGroup,
} from "@uncaged/workflow-protocol";
import {
  type ParsedRoleOutput,
  workflowCompletionSchema,
} from "@uncaged/workflow-protocol/schemas";
import type { Settings } from "@uncaged/workflow-register";
import { type PublishedStep, publishStep } from "../chain/append-step.ts";
import type { ChainCursor } from "../chain/chain-cursor.ts";
import type { Proved, ProvedStep } from "../chain/proofs.ts";
import { spentBy } from "../chain/spent.ts";
import { type Interruption, urgent } from "../keeper/interruption.ts";
import { leaseLost } from "../lease/lease-lost.ts";
import type { Summarize } from "../models/summarizer.ts";
import type { Supervise } from "../models/supervisor.ts";
import {
  endRecord,
  type ModelCosts,
  withModelCosts,
  withWorkers,
} from "../models/with-model-costs.ts";
import type { Engine } from "../storage/engine.ts";
import { parseWith } from "../storage/parse-with.ts";
import type { WorkerCalls } from "../workers/worker-calls.ts";
import type { HeldTo } from "./check-role-rules.ts";
import type { Coordination, CursorHand } from "./coordination.ts";
import { cutOffRecord } from "./cut-off-record.ts";
import { failedEnding } from "./failed-ending.ts";
import {
  abortedEnding,
  type Ending,
  finishThread,
  statusOf,
  supervisedEnding,
} from "./finish-thread.ts";
import { type AskedPerson, type DecidedPerson, groupPeople } from "./group-people.ts";
import { nextTurn, type Turn } from "./next-turn.ts";
import { parseOutput } from "./parse-output.ts";
import { answeredStep, missedStep } from "./person-step.ts";
import { runGroup } from "./run-group.ts";
import { type RecordedFiles, type StepFiles, withNotes } from "./step-files.ts";
import { tellAsked } from "./tell-asked.ts";
import { FULL, noRoom, type ThreadRoom } from "./thread-room.ts";

export type ThreadRun = {
  engine: Engine;
  thread: RunningThread;
  /** Where the first step goes. */
  cursor: ChainCursor;
  /** States of the rounds so far, oldest first. */
  roundHashes: readonly string[];
  workflow: WorkflowFn;
  context: ThreadContext;
  /** What roles do to the files of the repository that they work in. */
  files: StepFiles;
  /** The files when a person's step is stored; null: nothing was checked so far. */
  filesFound: (role: string, at: ChainCursor) => Promise<StepWorkspace | null>;
  /** What the workflow function gets from the engine. `cursor` is asked for the thread's position whenever a child
   *  starts, and moved on by the notes of a coordinating step. */
  runtimeAt: (cursor: CursorHand) => EngineRuntime;
  /** Takes back what git worktrees the thread has. Never fails. */
  takeBackFiles: (head: string) => Promise<void>;
  /** Ends the coordination of the step that has just ended. Returns what its workers used. */
  endCoordination: Coordination["close"];
  /** A step of an agent is stored: its call no longer counts. */
  endCall: WorkerCalls["end"];
  /** After that step is stored: its workers that wait may end. */
  releaseWorkers: () => Promise<void>;
  /** Whether the thread, a worker, waits at its end for what its coordinator says. */
  isHeld: () => Promise<boolean>;
  /** Roles of the descriptor that agents play: an output of any other is refused. */
  roles: ReadonlySet<string>;
  /** What the thread waited for at this head when its runner took it. */
  waitedFor: (head: string) => readonly Wait[];
  /** What the thread waits for when its workflow suspends it. */
  waitFor: (asked: {
    suspension: Suspension;
    route: StepRoute | null;
    /** Who was asked before, and is not asked again. */
    before: readonly Wait[];
    /** For a member of a group: its place, and when the group joins. */
    member?: StepGroup & { join: GroupJoin };
  }) => Result<Wait, Failure>;
  /** Whether the engine accepts this output as a step of its role. */
  held: (output: ParsedRoleOutput, workspace: StepWorkspace | null) => Promise<HeldTo>;
  /** What is known, with this step, of the files that were checked. Asked once for each step, before it is stored. */
  proofAfter: (step: ProvedStep) => StepProof | null;
  /** Runs the role's checks, and adds what was seen to the record of its run. `fault`: one could not be run. */
  checked: (
    output: ParsedRoleOutput,
    workspace: StepWorkspace | null,
  ) => Promise<{ output: ParsedRoleOutput; fault: Failure | null }>;
  isolation: Settings["isolation"];
  /** Aborts with an `Interruption` as its reason; any other reason counts as `kill`. */
  signal: AbortSignal;
  room: ThreadRoom;
  /** Stop after this many steps, unless only the end or a question is left; null: no limit. */
  maxSteps: number | null;
  /** Usage of the engine's own models. */
  costs: ModelCosts;
  /** Returns why the thread has to end, or null. Called before each step. */
  supervise: Supervise;
  /** Summarizes a completed thread. */
  summarize: Summarize;
  /** Whether no agent runs after these steps, which are all the thread has: the table ends it, or asks a person. */
  noAgentNext: (steps: RoleStep[]) => Promise<boolean>;
  /** What the workflow returns after these steps, which are all it made; null: it has no `result`. */
  resultAfter: (steps: RoleStep[]) => Promise<RecordedResult | null>;
  emit: (event: LiveEvent) => void;
};

export type RunOutcome =
  | (ThreadEnding & { head: string })
  | { status: "idle" | "queued" | "paused" | "suspended" };

export async function executeThread(run: ThreadRun): Promise<RunOutcome> {
  let cursor = run.cursor;
  const runtime = run.runtimeAt({
    now: () => cursor,
    move: (next) => {
      cursor = next;
    },
  });
  let resumed = runtime.resumes ?? null;
  const generator = run.workflow(seenBy(run.context, resumed), runtime);
  let answer: YieldAnswer;
  const steps = [...run.context.steps];
  const rounds = [...run.roundHashes];
  const made = (): number => steps.length - run.context.steps.length;
  // A person's prompt for the first step comes before anything that the table says.
  const noAgentNext = async (): Promise<boolean> =>
    (made() > 0 || runtime.directive === null) && run.noAgentNext(steps);
  let waiting: readonly SignalKind[] = (
    await run.engine.store.signals([run.thread.threadId])
  ).flat();
  const add = (published: PublishedStep): void => {
    ({ cursor, signals: waiting } = published);
    rounds.push(published.stateHash);
    steps.push(published.step);
  };
  /** Whether no further step of a group begins. */
  const standsStill = (): boolean => waiting.includes("pause") || run.room.isHandedOver();
  try {
    while (true) {
      const interruption = interruptionOf(run.signal, waiting);
      if (interruption !== null) return await interrupted(run, cursor, interruption);
      if (run.maxSteps !== null && made() >= run.maxSteps && !(await noAgentNext()))
        return await park(run);
      if (waiting.includes("pause") && (await paused(run))) return { status: "paused" };

      const left = await run.room.budget();
      if (!left.ok && !(await noAgentNext())) {
        run.room.giveUp(left);
        continue;
      }
      const objection = await run.supervise(rounds, noAgentNext);
      if (objection !== null) return await end(run, cursor, supervisedEnding(objection));
      if (run.signal.aborted) continue;

      const turn = await nextTurn(generator, answer, run.signal);
      // Before anything else is published. Whoever stops or kills the thread decides what becomes of its workers.
      const ofWorkers = await run.endCoordination({ endsWorkers: !goesOn(turn) });
      if (turn.kind === "interrupted")
        return await interrupted(run, cursor, interruptionOf(run.signal, []) ?? "kill");
      if (turn.kind === "threw") return await failed(run, cursor, turn.cause);
      if (turn.kind === "returned")
        return await completed(run, { cursor, rounds, steps }, turn.completion);

      const group = yieldedGroup(turn.yielded);
      if (group !== null) {
        const ran = await runGroup({
          ...{ group, steps, resumed, runtime, roles: run.roles, signal: run.signal },
          mostSteps: run.maxSteps === null ? null : run.maxSteps - made(),
          underWay: run.room.underWay,
          store: async (member, place) => {
            const published = await appendMember(run, cursor, { output: member, group: place });
            add(published);
            return { step: published.step, pause: standsStill() };
          },
          people: groupPeople(
            run.engine,
            ownLease(run),
            memberWait(run, group),
            tellAsked(run.thread.threadId, run.emit),
          ),
          storePerson: async (decided, place) => {
            const published = await publish(run, cursor, {
              output: stepOf(run, decided),
              group: place,
              files: { workspace: await run.filesFound(decided.wait.role, cursor), notes: [] },
            });
            add(published);
            return { step: published.step, pause: standsStill() };
          },
          suspend: (waits) => suspend(run, waits),
        });
        if (ran.kind === "failed") return await failed(run, cursor, ran.cause);
        if (ran.kind === "interrupted")
          return await interrupted(run, cursor, interruptionOf(run.signal, []) ?? "kill");
        if (ran.kind === "held")
          return run.room.isHandedOver() ? await queued(run) : await park(run);
        if (ran.kind === "waiting") return { status: "suspended" };
        answer = ran.steps;
      } else {
        const appended = await append(run, cursor, { raw: turn.yielded, ofWorkers });
        if (appended.kind === "refused") return await failed(run, cursor, appended.cause);
        add(appended);
        if (ofWorkers !== null) await run.releaseWorkers();
        answer = appended.step;
      }
      resumed = null;
    }
  } finally {
    // Not awaited: a function that hangs in its own cleanup must not hold up the thread.
    void generator.return?.({ returnCode: 0, summary: "" }).catch(() => undefined);
  }
}

/** Whether this or another owner runs the step again, with the workers that it has: it was interrupted, the store is
 *  broken (3), or the thread has a new owner already, which those workers belong to. */
function goesOn(turn: Turn): boolean {
  if (turn.kind !== "threw") return turn.kind === "interrupted";
  const { code } = failureFrom(turn.cause, "WORKFLOW_FAILED");
  return code === "LEASE_LOST" || exitCodeOf(code) === EXIT.storage;
}

type EarlyEnd = Interruption | typeof FULL;

type Appended = ({ kind: "stored" } & PublishedStep) | { kind: "refused"; cause: unknown };

/** What a member of this group that a person plays waits for. */
function memberWait(
  run: ThreadRun,
  { join = "all" }: RoleGroup,
): (asked: AskedPerson, before: readonly Wait[]) => Result<PersonWait, Failure> {
  return ({ call: { role, ask: message, route = null }, place }, before) => {
    const suspension = { kind: "person", role, message } as const;
    const wait = run.waitFor({ suspension, route, before, member: { ...place, join } });
    if (!wait.ok) return wait;
    if (!isPersonWait(wait.value)) throw new Error("a person was asked for");
    return ok(wait.value);
  };
}

function stepOf({ thread: { cwd }, engine }: ThreadRun, decided: DecidedPerson): ParsedRoleOutput {
  const { wait, answer } = decided;
  return answer === null
    ? missedStep(wait, { cwd, nowMs: engine.now() })
    : answeredStep(wait, answer, { cwd, nowMs: answer.at });
}

/** Steps of a group at the end are left out: the workflow yields that group again. */
function seenBy(context: ThreadContext, resumed: StepGroup | null): ThreadContext {
  return resumed === null ? context : { ...context, steps: stepsBeforeGroup(context.steps) };
}

async function append(
  run: ThreadRun,
  cursor: ChainCursor,
  { raw, ofWorkers }: { raw: unknown; ofWorkers: Usage | null },
): Promise<Appended> {
  const output = parseOutput(raw, run.roles);
  if (!output.ok) return { kind: "refused", cause: new WorkflowError(output.error) };
  const held = await holdToRules(run, cursor, output.value);
  if (held.fault !== null)
    return { kind: "refused", cause: refusedStep(held.fault, held.output.run) };
  try {
    return { kind: "stored", ...(await publish(run, cursor, { ...held, ofWorkers })) };
  } catch (cause) {
    if (failureFrom(cause, "STORAGE_FAILED").code === "ARTIFACT_MISSING")
      return { kind: "refused", cause };
    throw cause;
  }
}

type Publishing = {
  output: ParsedRoleOutput;
  group?: StepGroup;
  files: RecordedFiles;
  /** Left out: nothing was checked. */
  proved?: Proved | null;
  /** What its workers used. They booked it themselves. */
  ofWorkers?: Usage | null;
};

/** The role has ended. Its processes end before its files are looked at, so that the tree is what it left; what is checked
 *  is that tree; and the step is published after that, because a step that is published is never looked at again. A
 *  crash in between leaves a commit that no step names, and the role runs again. */
export async function holdToRules(
  run: ThreadRun,
  cursor: ChainCursor,
  given: ParsedRoleOutput,
  group?: StepGroup,
): Promise<Publishing & HeldTo> {
  const { role } = given;
  const files = await run.files.end({ role, round: cursor.rounds + 1, group });
  const { output, fault } = await run.checked(given, files.workspace);
  const held = fault === null ? await run.held(output, files.workspace) : { fault, proved: null };
  return { output, files, ...held };
}

async function publish(
  run: ThreadRun,
  cursor: ChainCursor,
  { output, group, files: { workspace, notes }, proved = null, ofWorkers = null }: Publishing,
): Promise<PublishedStep> {
  const nowMs = run.engine.now();
  const proof = run.proofAfter({ ...output, round: cursor.rounds + 1, workspace, proved });
  const seen = [...notes, ...notIsolated(run, output)];
  const record = withNotes(withModelCosts(output.run ?? null, run.costs, group), seen);
  const published = await publishStep(run.engine, cursor, {
    kind: "append",
    output: { ...output, run: withWorkers(record, ofWorkers) },
    spent: spentBy(output.role, record),
    nowMs,
    group,
    workspace,
    proof,
  });
  if (record?.person === undefined) await run.endCall(group, record?.usage ?? null);
  emitCompleted(run, published, nowMs);
  return published;
}

/** Said on the step: whoever asked for it may not know which adapters can do it. */
function notIsolated({ isolation }: ThreadRun, { run, childThread }: ParsedRoleOutput): string[] {
  if (isolation !== "sandbox" || childThread != null) return [];
  if (run == null || run.isolation !== undefined || run.person !== undefined) return [];
  return ["not isolated: its adapter does not say that it kept the agent in a sandbox"];
}

/** A member whose output the engine does not accept has failed. */
async function appendMember(
  run: ThreadRun,
  cursor: ChainCursor,
  { output: raw, group }: { output: RoleOutput; group: StepGroup },
): Promise<PublishedStep> {
  const refused = async (
    fault: Failure,
    about: Pick<ParsedRoleOutput, "role" | "route" | "run">,
    files?: RecordedFiles,
  ) => {
    const place = { role: about.role, round: cursor.rounds + 1, group };
    const recorded = files ?? (await run.files.end(place));
    return publish(run, cursor, { output: refusedMember(fault, about), group, files: recorded });
  };
  const parsed = parseOutput(raw, run.roles);
  if (!parsed.ok) return refused(parsed.error, { role: raw.role, route: raw.route });
  const held = await holdToRules(run, cursor, parsed.value, group);
  const { output, files, fault } = held;
  if (fault !== null) return refused(fault, output, files);
  try {
    return await publish(run, cursor, { ...held, group });
  } catch (cause) {
    const reason = failureFrom(cause, "STORAGE_FAILED");
    if (reason.code !== "ARTIFACT_MISSING") throw cause;
    return refused(reason, output, files);
  }
}

function refusedMember(
  fault: Failure,
  output: Pick<ParsedRoleOutput, "role" | "route" | "run">,
): ParsedRoleOutput {
  const { outcome } = refusedStep(fault, output.run);
  return {
    role: output.role,
    meta: { outcome, reason: fault.message },
    content: `${fault.code}: ${fault.message}`,
    route: output.route,
    run: output.run,
    outcome,
  };
}

export function emitCompleted(
  { thread, emit }: Pick<ThreadRun, "thread" | "emit">,
  { step, stateHash, cursor }: PublishedStep,
  nowMs: number,
): void {
  emit({
    threadId: thread.threadId,
    timestamp: nowMs,
    type: "step_completed",
    role: step.role,
    round: cursor.rounds,
    ...(step.group === undefined ? {} : { group: step.group }),
    stateHash,
    meta: step.meta,
  });
}

/** The role's usage counts, though its result does not. */
function refusedStep(fault: Failure, run: ParsedRoleOutput["run"]): AgentError {
  const outcome = fault.code === "AGENT_DENIED" ? "denied" : "invalid_output";
  return new AgentError(fault, { outcome, run: run ?? null });
}

function interruptionOf(signal: AbortSignal, waiting: readonly SignalKind[]): EarlyEnd | null {
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    return reason === "stop" || reason === "lease-lost" || reason === FULL ? reason : "kill";
  }
  return urgent(waiting);
}

async function interrupted(
  run: ThreadRun,
  cursor: ChainCursor,
  interruption: EarlyEnd,
): Promise<RunOutcome> {
  if (interruption === "lease-lost") throw new WorkflowError(leaseLost(run.thread.threadId));
  if (interruption === "stop") return park(run);
  if (interruption === FULL) return queued(run);
  const { engine, thread } = run;
  const record = await cutOffRecord(engine, { ...thread, head: cursor.head }, engine.now());
  return endWith(run, cursor, { ...abortedEnding(cursor.rounds), run: record });
}

async function completed(
  run: ThreadRun,
  { cursor, rounds, steps }: { cursor: ChainCursor; rounds: readonly string[]; steps: RoleStep[] },
  raw: WorkflowCompletion,
): Promise<RunOutcome> {
  const parsed = parseWith(
    workflowCompletionSchema,
    raw,
    "INVALID_OUTPUT",
    "the workflow returned a completion the engine cannot read",
  );
  if (!parsed.ok) return failed(run, cursor, new WorkflowError(parsed.error));
  const completion = parsed.value;
  if ("suspend" in completion) {
    const { suspend: suspension, route = null } = completion;
    const wait = run.waitFor({ suspension, route, before: run.waitedFor(cursor.head) });
    if (!wait.ok) return failed(run, cursor, new WorkflowError(wait.error));
    await suspend(run, [wait.value]);
    return { status: "suspended" };
  }
  const { returnCode } = completion;
  const unapproved = returnCode === 0 ? unapprovedEnd(steps) : null;
  if (unapproved !== null) return failed(run, cursor, new WorkflowError(unapproved));
  const summary =
    returnCode === 0 ? await run.summarize(rounds, completion.summary) : completion.summary;
  const { role } = steps.at(-1) ?? {};
  if (returnCode === 0 && role !== undefined && run.roles.has(role) && (await run.isHeld())) {
    await suspend(run, [{ kind: "coordinator", role, message: summary }]);
    return { status: "suspended" };
  }
  return end(run, cursor, {
    status: statusOf(returnCode),
    returnCode,
    summary,
    content: summary,
    route: completion.route ?? null,
    // A failing expression does not undo a step: the thread has completed, and its end node says why it has no result.
    result: returnCode === 0 ? await run.resultAfter(steps) : null,
  });
}

/** A thread cannot complete with changed controls that nobody approved. */
function unapprovedEnd(steps: readonly RoleStep[]): Failure | null {
  const proof = steps.at(-1)?.proof;
  if (proof?.state !== "unapproved") return null;
  return failure(
    "EVIDENCE_MISSING",
    `step ${proof.round} changed files that decide what its check checks, and no approver has approved that`,
    "lead to an approver of the check while `evidence.state = 'unapproved'` (docs/evidence.md), or undo the change",
  );
}

/** Ends a thread that cannot run its next step. */
export function failThread(run: ThreadRun, cause: unknown): Promise<RunOutcome> {
  return failed(run, run.cursor, cause);
}

async function failed(run: ThreadRun, cursor: ChainCursor, cause: unknown): Promise<RunOutcome> {
  const reason = failureFrom(cause, "WORKFLOW_FAILED");
  // The store itself is broken (3): the step never happened, the thread stays as it was.
  if (exitCodeOf(reason.code) === EXIT.storage) throw new WorkflowError(reason, { cause });
  return end(run, cursor, failedEnding(reason, cause));
}

async function end(run: ThreadRun, cursor: ChainCursor, given: Ending): Promise<RunOutcome> {
  const at = { nowMs: run.engine.now(), cwd: run.thread.cwd };
  return endWith(run, cursor, { ...given, run: endRecord(given.run ?? null, run.costs, at) });
}

async function endWith(run: ThreadRun, cursor: ChainCursor, ending: Ending): Promise<RunOutcome> {
  // Before the end, so that nobody who waits for it finds them half removed. After a crash in between they are made
  // again, from the steps.
  await run.takeBackFiles(cursor.head);
  const nowMs = run.engine.now();
  const { head } = await finishThread(run.engine, cursor, { ending, nowMs });
  const { status, returnCode, summary } = ending;
  run.emit({ threadId: run.thread.threadId, timestamp: nowMs, type: "status", status, summary });
  return { status, returnCode, summary, head };
}

/** If the gate was closed at the same time, the thread is paused: idle with a closed gate would be neither. */
async function park(run: ThreadRun): Promise<RunOutcome> {
  if (await paused(run)) return { status: "paused" };
  await run.engine.store.release({
    ...ownLease(run),
    nowMs: run.engine.now(),
    to: { status: "idle" },
  });
  emitStatus(run, "idle");
  return { status: "idle" };
}

/** Throws `LIMIT_REACHED` when the thread may not be queued. */
async function queued(run: ThreadRun): Promise<RunOutcome> {
  const place = run.room.waitsFor();
  if (run.room.kind === "or nothing") throw new WorkflowError(noRoom(run.thread.threadId, place));
  if (await paused(run)) return { status: "paused" };
  const nowMs = run.engine.now();
  const to = { status: "queued", queue: { since: nowMs, ...place } } as const;
  await run.engine.store.release({ ...ownLease(run), nowMs, to });
  const awaited = place.for.length === 0 ? "its turn" : place.for.map(limitInWords).join(", ");
  emitStatus(run, "queued", `waits for ${awaited}`);
  return { status: "queued" };
}

async function paused(run: ThreadRun): Promise<boolean> {
  const closed = await run.engine.store.release({
    ...ownLease(run),
    nowMs: run.engine.now(),
    to: { status: "paused" },
  });
  if (closed) emitStatus(run, "paused");
  return closed;
}

/** False: a member of a group for whom the thread would wait has just answered. */
async function suspend(run: ThreadRun, waits: Waits): Promise<boolean> {
  const to = { status: "suspended", waits } as const;
  const rests = await run.engine.store.release({ ...ownLease(run), nowMs: run.engine.now(), to });
  if (rests) emitStatus(run, "suspended", waits.map(({ message }) => message).join("\n"));
  return rests;
}

function emitStatus(
  run: ThreadRun,
  status: "idle" | "queued" | "paused" | "suspended",
  summary: string | null = null,
): void {
  run.emit({
    threadId: run.thread.threadId,
    timestamp: run.engine.now(),
    type: "status",
    status,
    summary,
  });
}

function ownLease(run: ThreadRun): { threadId: string; fence: number } {
  return { threadId: run.cursor.threadId, fence: run.cursor.fence };
}
