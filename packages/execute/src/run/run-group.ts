/** Runs the members of a group side by side, and stores each one when it finishes.
 *
 *  1. One writer: members run at the same time, but their steps are appended one after the other. A crash loses the
 *     members under way; those in the chain are taken from there and never run again.
 *  2. A member is told to stop when the group has joined without it, when another one broke the thread, or with the
 *     thread. Each of them gets some time to stop before anything else happens.
 *  3. A member's failure is its result. A failure that is not its agent's fails the thread.
 *  4. A closed gate, a limit, or enough steps keep further members from starting; those under way finish.
 *  5. People are asked before the first member starts, and answer while the others run (`group-people`). Once only they
 *     are left, the thread is suspended. A question that is no longer needed leaves no trace. */
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
import type { DecidedPerson, GroupPeople } from "./group-people.ts";
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
  people: GroupPeople;
  /** Stores a person's answer, or that there was none in time. */
  storePerson: (decided: DecidedPerson, group: StepGroup) => Promise<StoredMember>;
  /** Suspends the thread. False: somebody has just answered. */
  suspend: (waits: Waits) => Promise<boolean>;
};

type StoredMember = { step: RoleStep; pause: boolean };

const LOOK_EVERY_MS = 250;

export type GroupOutcome =
  /** The group has joined, or a limit forbids the rest. In declared order. */
  | { kind: "answered"; steps: RoleStep[] }
  /** Members are missing: the gate was closed, or enough steps were made. */
  | { kind: "held" }
  /** Only people are left; the thread is suspended for them. */
  | { kind: "waiting" }
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
  /** Index of each member that a person plays. */
  readonly #people: ReadonlySet<number>;
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
    const people = group.members.flatMap(({ ask }, index) => (ask === undefined ? [] : index));
    this.#people = new Set(people);
    for (const step of finished) this.#note(step);
  }

  async toRest(): Promise<GroupOutcome> {
    const refused = await this.#askPeople();
    if (refused !== null) return { kind: "failed", cause: new WorkflowError(refused) };
    const grace = afterAbort(this.#run.signal, ABORT_GRACE_MS);
    try {
      while (true) {
        await this.#takeAnswers();
        this.#startMembers();
        this.#endMembers();
        if (this.#underWay.size === 0 && this.#settled.length === 0) {
          const outcome = (await this.#closePeople()) ? null : await this.#outcome();
          if (outcome !== null) return outcome;
          continue;
        }
        const next = this.#settled.shift() ?? (await this.#nextSettled(grace.promise));
        if (next === "given up") return { kind: "interrupted" };
        if (next !== null) await this.#take(next);
      }
    } finally {
      grace.cancel();
    }
  }

  /** null: somebody answered at the last moment. */
  async #outcome(): Promise<GroupOutcome | null> {
    if (this.#broken !== null) return { kind: "failed", cause: this.#broken.cause };
    if (this.#run.signal.aborted && !this.#progress.hasJoined) return { kind: "interrupted" };
    if (this.#held === "gate" && !this.#progress.hasJoined) return { kind: "held" };
    const [first, ...others] = this.#needsMore ? this.#run.people.waits() : [];
    if (first === undefined)
      return { kind: "answered", steps: this.#steps.filter((step) => step !== undefined) };
    return (await this.#run.suspend([first, ...others])) ? { kind: "waiting" } : null;
  }

  get #needsMore(): boolean {
    return !this.#progress.hasJoined && this.#held === null && this.#broken === null;
  }

  /** null: the group can run. */
  async #askPeople(): Promise<Failure | null> {
    if (this.#progress.hasJoined) return null;
    const people = this.#run.group.members.flatMap((call, index) =>
      call.ask === undefined || this.#progress.has(index)
        ? []
        : [{ call, place: this.#placeOf(index) }],
    );
    if (people.length === 0) return null;
    const asked = await this.#run.people.ask(people);
    return asked.ok ? null : asked.error;
  }

  /** Stores what people answered, and who is late. Returns whether there was anything. */
  async #takeAnswers(): Promise<boolean> {
    if (this.#people.size === 0) return false;
    const place = { name: this.#run.group.name, entry: this.#entry };
    let isAny = false;
    for (const decided of await this.#run.people.decided(place)) {
      const { member } = decided.wait;
      if (member === undefined || !this.#people.has(member) || this.#progress.has(member)) continue;
      this.#added(await this.#run.storePerson(decided, this.#placeOf(member)));
      isAny = true;
    }
    return isAny;
  }

  /** Nobody is needed once the group has joined or a limit forbids the rest. Returns whether somebody was quicker. */
  async #closePeople(): Promise<boolean> {
    const isOver = this.#progress.hasJoined || this.#held === "limit" || this.#broken !== null;
    if (!isOver || this.#people.size === 0) return false;
    await this.#run.people.close();
    return this.#takeAnswers();
  }

  #startMembers(): void {
    const { group, mostSteps } = this.#run;
    const { atOnce = defaultAtOnce(), members, watch } = group;
    while (this.#mayStart && this.#underWay.size < atOnce) {
      while (this.#progress.has(this.#next)) this.#next += 1;
      const call = members[this.#next];
      if (call === undefined) return;
      if (call.ask !== undefined) {
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
    return this.#needsMore && !this.#run.signal.aborted;
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

  /** null: it is time to look what people answered. */
  async #nextSettled(graceOver: Promise<unknown>): Promise<Settled | "given up" | null> {
    const { promise, resolve } = Promise.withResolvers<"settled" | "look">();
    this.#wake = () => resolve("settled");
    const isAsking = this.#run.people.waits().length > 0;
    const look = isAsking ? setTimeout(() => resolve("look"), LOOK_EVERY_MS) : undefined;
    const woken = await Promise.race([promise, graceOver]);
    clearTimeout(look);
    return this.#settled.shift() ?? (woken === "look" ? null : "given up");
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
    `the thread is in the group ${resumed.name} of ${resumed.of} members, and the workflow yielded ${name} of ${members.length}`,
    "a workflow function must yield the same group again; fork the thread from before the group",
  );
}
