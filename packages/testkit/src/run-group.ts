/** Members of a group in memory: started in declared order, stored in the order in which they finish. */
import { GroupProgress } from "@uncaged/workflow-moderator";
import {
  type AgentCall,
  agentError,
  failedOutput,
  MAX_AT_ONCE,
  memberRequest,
  type PersonCall,
  type RoleGroup,
  type RoleOutput,
  type RoleStep,
  type StepGroup,
  type ThreadContext,
} from "@uncaged/workflow-protocol";
import type { MemoryRuntime } from "./memory-runtime.ts";

export type GroupRun = {
  group: RoleGroup;
  ctx: ThreadContext;
  runtime: MemoryRuntime;
  /** The group that the given steps end in; null: none. */
  resumed: StepGroup | null;
  store: (output: RoleOutput, group: StepGroup) => Promise<RoleStep>;
  /** The step of a member that a person plays; null: the person does not answer. */
  answer: (role: string, group: StepGroup) => Promise<RoleStep | null>;
};

/** `waiting`: the first of the people who are left, and do not answer. */
export type GroupEnd = { steps: RoleStep[] } | { waiting: PersonCall };

/** The steps of the group are in declared order. Rejects as a member does whose failure is not its agent's. */
export async function runGroup({
  group,
  ctx,
  runtime,
  resumed,
  store,
  answer,
}: GroupRun): Promise<GroupEnd> {
  const { name, members, watch, atOnce = MAX_AT_ONCE } = group;
  const entry = resumed?.entry ?? ctx.steps.length;
  const progress = new GroupProgress(members.length, group);
  const steps: (RoleStep | undefined)[] = [];
  const note = (step: RoleStep): void => {
    if (step.group === undefined) return;
    progress.note({ ...step, group: step.group });
    steps[step.group.index] = step;
    watch?.stored(step);
  };
  for (const step of resumed === null ? [] : ctx.steps.slice(entry)) note(step);

  const people: { call: PersonCall; place: StepGroup }[] = [];
  const underWay = new Map<number, { call: AgentCall; done: Promise<Done>; end: () => void }>();
  const placeOf = (index: number): StepGroup => ({ name, entry, index, of: members.length });
  const start = (call: AgentCall, index: number): void => {
    const ending = new AbortController();
    const end = (): void =>
      ending.abort(agentError("cancelled", { message: `${name} has joined`, hint: "", run: null }));
    const place = placeOf(index);
    const done = runMember(runtime, call, { place, ending: ending.signal });
    underWay.set(index, { call, done, end });
  };
  let isHeld = false;
  let next = 0;
  while (true) {
    while (!isHeld && !progress.hasJoined && underWay.size < atOnce && next < members.length) {
      const call = members[next];
      if (call?.ask !== undefined && !progress.has(next)) {
        people.push({ call, place: placeOf(next) });
      } else if (call?.run !== undefined && !progress.has(next)) {
        const running = [...underWay.values()].map((member) => member.call);
        isHeld = watch?.mayStart(call, running) === false;
        if (!isHeld) start(call, next);
      }
      next += 1;
    }
    if (progress.hasJoined) for (const { end } of underWay.values()) end();
    if (underWay.size === 0) {
      // As in the engine: people are asked once nothing else is left to run.
      const asked = progress.hasJoined || isHeld ? undefined : people.shift();
      if (asked === undefined) return { steps: steps.filter((step) => step !== undefined) };
      const answered = await answer(asked.call.role, asked.place);
      if (answered === null) return { waiting: asked.call };
      note(answered);
      continue;
    }
    const { place, output } = await Promise.race(Array.from(underWay.values(), ({ done }) => done));
    underWay.delete(place.index);
    note(await store(output, place));
  }
}

type Done = { place: StepGroup; output: RoleOutput };

async function runMember(
  runtime: MemoryRuntime,
  call: AgentCall,
  { place, ending }: { place: StepGroup; ending: AbortSignal },
): Promise<Done> {
  const request = memberRequest(call, place);
  const { role, route } = request;
  const entered = runtime.enter(request);
  const signal = AbortSignal.any([runtime.signal, ending]);
  try {
    const output = await call.run({ ...entered, signal });
    return { place, output: { ...output, role, route } };
  } catch (thrown) {
    runtime.signal.throwIfAborted();
    const output = failedOutput(entered.step, ending.aborted ? ending.reason : thrown);
    if (output === null) throw thrown;
    return { place, output };
  }
}
