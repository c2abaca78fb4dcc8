/** The people of a group, who are asked beside its agents.
 *
 *  1. All of them are asked before the first agent starts. What they are asked is in the index, and stands whatever
 *     becomes of the runner: whoever goes on with the group asks the same, with the same deadlines.
 *  2. An answer that was acknowledged is in the index, too, until it is the member's step. The step comes first: after a
 *     crash in between, the member is in the chain and what the index says of it means nothing any more.
 *  3. Before it is decided that somebody is late, or not needed, the question is closed. An answer that was quicker
 *     counts. */
import {
  type AskAnswer,
  type Failure,
  isSameGroup,
  type LeaseRef,
  ok,
  type PersonCall,
  type PersonWait,
  type Result,
  type StepGroup,
} from "@uncaged/workflow-protocol";
import type { Engine } from "../storage/engine.ts";
import { isOverdue, isSame } from "./person-wait.ts";

export type AskedPerson = { call: PersonCall; place: StepGroup };

/** `answer`: null when nobody answered in time. */
export type DecidedPerson = { wait: PersonWait; answer: AskAnswer | null };

export type GroupPeople = {
  ask: (people: readonly AskedPerson[]) => Promise<Result<null, Failure>>;
  /** Those who have not been decided. */
  waits: () => readonly PersonWait[];
  /** Who answered or is late, of the group of this place. */
  decided: (of: Pick<StepGroup, "name" | "entry">) => Promise<DecidedPerson[]>;
  /** Takes no more answers. */
  close: () => Promise<void>;
};

export function groupPeople(
  { store, now }: Pick<Engine, "store" | "now">,
  owner: LeaseRef,
  /** What a member waits for. `before`: what members of the thread were asked before. */
  waitOf: (asked: AskedPerson, before: readonly PersonWait[]) => Result<PersonWait, Failure>,
  tell: (wait: PersonWait) => void,
): GroupPeople {
  const { threadId } = owner;
  const waits = new Map<number | undefined, PersonWait>();
  return {
    ask: async (people) => {
      const before = (await store.askedMembers({ threadId })).map(({ wait }) => wait);
      for (const asked of people) {
        const wait = waitOf(asked, before);
        if (!wait.ok) return wait;
        waits.set(asked.place.index, wait.value);
      }
      await store.askMembers({ ...owner, waits: [...waits.values()] });
      for (const wait of waits.values()) if (!before.some((each) => isSame(each, wait))) tell(wait);
      return ok(null);
    },
    waits: () => [...waits.values()],
    decided: async (of) => {
      const late = [...waits.values()].filter((wait) => isOverdue(wait, now()));
      const members = late.flatMap(({ member = [] }) => member);
      if (members.length > 0) await store.closeAsks({ ...owner, members });
      const answered: DecidedPerson[] = (
        await store.askedMembers({ threadId, answered: true })
      ).filter(({ wait }) => isSameGroup(wait.group, of));
      const isAnswered = ({ member }: PersonWait): boolean =>
        answered.some(({ wait }) => wait.member === member);
      const missed = late.filter((wait) => !isAnswered(wait));
      const decided = [...answered, ...missed.map((wait) => ({ wait, answer: null }))];
      for (const { wait } of decided) waits.delete(wait.member);
      return decided;
    },
    close: () => store.closeAsks({ ...owner, members: null }),
  };
}
