/** Runs the members of a group side by side, and stores each one when it finishes.
 *
 *  1. One writer: members run at the same time, but their steps are appended one after the other. A crash loses the
 *     members under way; those in the chain are taken from there and never run again.
 *  2. A member is told to stop when the group has joined without it, when another one broke the thread, or with the
 *     thread. Each of them gets some time to stop before anything else happens.
 *  3. A member's failure is its result. A failure that is not its agent's fails the thread.
 *  4. A closed gate, a limit, or enough steps keep further members from starting; those under way finish.
 *  5. People are asked once nothing else is left to run, all at the same time. A question that is no longer needed
 *     leaves no trace. */
import { availableParallelism } from "node:os";
import { GroupProgress } from "@uncaged/workflow-moderator";
import {
  type AgentCall,
  type EngineRuntime,
  type Failure,
  failedOutput,
  failure,
  isSameGroup,
  MAX_AT_ONCE,
  MAX_GROUP_MEMBERS,
  type PersonCall,
  type PersonWait,
  type Result,
  type RoleGroup,
  type RoleOutput,
  type RoleStep,
  type StepGroup,
  type Waits,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { groupFrameSchema } from "@uncaged/workflow-protocol/schemas";
import { parseWith } from "../storage/parse-with.ts";
import { type EnteredMember, enterMember } from "./enter-member.ts";
import { ABORT_GRACE_MS, afterAbort } from "./next-turn.ts";

export type GroupRun = {
  group: RoleGroup;
  /** The thread's steps; the last ones are those of the group so far. */
  steps: readonly RoleStep[];
  /** The group to which the thread's last steps belong, if this run has not added any yet. */
  resumed: StepGroup | null;
  roles: ReadonlySet<string>;
  runtime: EngineRuntime;
  /** Aborts when the thread is stopped or killed. */
  signal: AbortSignal;
  /** How many members may be stored; null: all. */
  mostSteps: number | null;
  /** Told how many members are under way, whenever that changes. */
  underWay: (count: number) => void;
  /** Stores a member's output, or a failure in its place if the engine refuses it. */
  store: (output: RoleOutput, group: StepGroup) => Promise<StoredMember>;
  /** What a member that a person plays waits for. */
  ask: (call: PersonCall, group: StepGroup) => Result<Asked, Failure>;
  /** Stores that nobody answered in time. */
  storeMissed: (wait: PersonWait, group: StepGroup) => Promise<StoredMember>;
};

type StoredMember = { step: RoleStep; pause: boolean };

/** `isLate`: nobody answered in time. */
type Asked = { wait: PersonWait; isLate: boolean };

export type GroupOutcome =
  /** The group has joined, or a limit forbids the rest. In declared order. */
  | { kind: "answered"; steps: RoleStep[] }
  /** Members are missing: the gate was closed, or enough steps were made. */
  | { kind: "held" }
  /** Only people are left. */
  | { kind: "waiting"; waits: Waits }
  | { kind: "interrupted" }
  | { kind: "failed"; cause: unknown };

export async function runGroup(run: GroupRun): Promise<GroupOutcome> {
  const fault = groupFault(run);
  if (fault !== null) return { kind: "failed", cause: new WorkflowError(fault) };
  const finished = finishedMembers(run);
  return new GroupRunner(run, finished).toRest();
}

type Settled = {
  index: number;
  member: EnteredMember;
  result: { ok: true; output: RoleOutput } | { ok: false; thrown: unknown };
};

class GroupRunner {
  readonly #run: GroupRun;
  readonly #entry: number;
  readonly #progress: GroupProgress;
  readonly #steps: (RoleStep | undefined)[] = [];
  readonly #underWay = new Map<number, EnteredMember>();
  readonly #settled: Settled[] = [];
  readonly #people: { call: PersonCall; index: number }[] = [];
  #wake: () => void = () => undefined;
  #next = 0;
  #stored = 0;
  #held: "gate" | "limit" | null = null;
  #broken: { cause: unknown } | null = null;
  #ended = false;

  constructor(run: GroupRun, finished: readonly RoleStep[]) {
    const { group, resumed, steps } = run;
    this.#run = run;
    this.#entry = resumed?.entry ?? steps.length;
    this.#progress = new GroupProgress(group.members.length, group);
    for (const step of finished) this.#note(step);
  }

  async toRest(): Promise<GroupOutcome> {
    const grace = afterAbort(this.#run.signal, ABORT_GRACE_MS);
    try {
      while (true) {
        this.#startMembers();
        this.#endMembers();
        if (this.#underWay.size === 0 && this.#settled.length === 0) {
          const outcome = this.#outcome() ?? (await this.#askPeople());
          if (outcome !== null) return outcome;
          continue;
        }
        const next = this.#settled.shift() ?? (await this.#nextSettled(grace.promise));
        if (next === null) return { kind: "interrupted" };
        await this.#take(next);
      }
    } finally {
      grace.cancel();
    }
  }

  /** null: only people are left. */
  #outcome(): GroupOutcome | null {
    if (this.#broken !== null) return { kind: "failed", cause: this.#broken.cause };
    if (this.#run.signal.aborted && !this.#progress.hasJoined) return { kind: "interrupted" };
    if (this.#held === "gate" && !this.#progress.hasJoined) return { kind: "held" };
    if (!this.#progress.hasJoined && this.#held === null && this.#people.length > 0) return null;
    return { kind: "answered", steps: this.#steps.filter((step) => step !== undefined) };
  }

  /** null: one of them was late, which may have let the group join. */
  async #askPeople(): Promise<GroupOutcome | null> {
    const waits: PersonWait[] = [];
    for (const [at, { call, index }] of this.#people.entries()) {
      const place = this.#placeOf(index);
      const asked = this.#run.ask(call, place);
      if (!asked.ok) return { kind: "failed", cause: new WorkflowError(asked.error) };
      const { wait, isLate } = asked.value;
      if (isLate) {
        this.#people.splice(at, 1);
        this.#added(await this.#run.storeMissed(wait, place));
        return null;
      }
      waits.push(wait);
    }
    const [first, ...others] = waits;
    return first === undefined ? null : { kind: "waiting", waits: [first, ...others] };
  }

  #startMembers(): void {
    const { group, mostSteps } = this.#run;
    const { atOnce = defaultAtOnce(), members, watch } = group;
    while (this.#mayStart && this.#underWay.size < atOnce) {
      while (this.#progress.has(this.#next)) this.#next += 1;
      const call = members[this.#next];
      if (call === undefined) return;
      if (call.ask !== undefined) {
        this.#people.push({ call, index: this.#next });
        this.#next += 1;
        continue;
      }
      if (mostSteps !== null && this.#stored + this.#underWay.size >= mostSteps) {
        this.#held = "gate";
        return;
      }
      const running = [...this.#underWay.keys()].flatMap((index) => members[index] ?? []);
      if (watch?.mayStart(call, running) === false) {
        this.#held = "limit";
        return;
      }
      this.#start(call, this.#next);
      this.#next += 1;
    }
  }

  get #mayStart(): boolean {
    const { signal } = this.#run;
    return (
      !this.#progress.hasJoined && this.#held === null && this.#broken === null && !signal.aborted
    );
  }

  #start(call: AgentCall, index: number): void {
    const member = enterMember(this.#run.runtime, call, this.#placeOf(index));
    this.#underWay.set(index, member);
    this.#run.underWay(this.#underWay.size);
    const settle = (result: Settled["result"]): void => {
      // A member that was given up is ignored.
      if (this.#underWay.get(index) !== member) return;
      this.#settled.push({ index, member, result });
      this.#wake();
    };
    member.done.then(
      (output) => settle({ ok: true, output }),
      (thrown: unknown) => settle({ ok: false, thrown }),
    );
    void member.abandoned.then((thrown) => settle({ ok: false, thrown }));
  }

  /** Members that nobody waits for any more. */
  #endMembers(): void {
    if (this.#ended || (!this.#progress.hasJoined && this.#broken === null)) return;
    this.#ended = true;
    const { name } = this.#run.group;
    const why = this.#broken === null ? `${name} has joined without it` : `${name} broke`;
    for (const member of this.#underWay.values()) member.end(why);
  }

  async #nextSettled(graceOver: Promise<unknown>): Promise<Settled | null> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    await Promise.race([promise, graceOver]);
    return this.#settled.shift() ?? null;
  }

  async #take({ index, member, result }: Settled): Promise<void> {
    this.#underWay.delete(index);
    // Between two members, the thread itself counts as under way.
    this.#run.underWay(Math.max(1, this.#underWay.size));
    const output = result.ok ? result.output : this.#failed(member, result.thrown);
    if (output === null) return;
    const { role, route = null } = this.#run.group.members[index] ?? output;
    this.#added(await this.#run.store({ ...output, role, route }, this.#placeOf(index)));
  }

  #added({ step, pause }: StoredMember): void {
    this.#stored += 1;
    this.#note(step);
    if (pause) this.#held ??= "gate";
  }

  /** null: the member leaves no step. */
  #failed(member: EnteredMember, thrown: unknown): RoleOutput | null {
    if (this.#run.signal.aborted) return null;
    if (this.#broken !== null) return null;
    if (member.isEnded) return member.cancelled(thrown);
    const output = failedOutput(member.step, thrown);
    if (output === null) this.#broken = { cause: thrown };
    return output;
  }

  #note(step: RoleStep): void {
    if (step.group === undefined) return;
    this.#progress.note({ ...step, group: step.group });
    this.#steps[step.group.index] = step;
    this.#run.group.watch?.stored(step);
  }

  #placeOf(index: number): StepGroup {
    const { name, members } = this.#run.group;
    return { name, entry: this.#entry, index, of: members.length };
  }
}

function defaultAtOnce(): number {
  return Math.min(MAX_AT_ONCE, Math.max(1, availableParallelism() - 1));
}

function finishedMembers({ steps, resumed }: GroupRun): RoleStep[] {
  if (resumed === null) return [];
  return steps.slice(resumed.entry).filter(({ group }) => isSameGroup(group, resumed));
}

/** What a bundle yields is untrusted. */
function groupFault({ group, resumed, roles }: GroupRun): Failure | null {
  const parsed = parseWith(
    groupFrameSchema,
    group,
    "INVALID_OUTPUT",
    "the workflow yielded a group the engine cannot run",
  );
  if (!parsed.ok) return parsed.error;
  const { name, members } = group;
  const invalid = (message: string): Failure =>
    failure("INVALID_OUTPUT", `the workflow yielded the group ${name}: ${message}`, "");
  if (members.length > MAX_GROUP_MEMBERS) {
    return invalid(`it has ${members.length} members, at most ${MAX_GROUP_MEMBERS} can run`);
  }
  for (const [index, { role, run, ask }] of members.entries()) {
    // The descriptor says which roles people play.
    if (typeof ask === "string") continue;
    if (!roles.has(role)) return invalid(`member ${index}: the descriptor has no role ${role}`);
    if (typeof run !== "function") return invalid(`member ${index}: it has no function \`run\``);
  }
  if (resumed === null || (resumed.name === name && resumed.of === members.length)) return null;
  return failure(
    "WORKFLOW_FAILED",
    `the thread stands in the group ${resumed.name} of ${resumed.of} members, and the workflow yielded ${name} of ${members.length}`,
    "a workflow function must yield the same group again; fork the thread from before the group",
  );
}
