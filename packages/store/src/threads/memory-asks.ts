import {
  type Ask,
  type AskAnswer,
  type AskedMember,
  isPersonWait,
  type LeaseRef,
  type PersonWait,
  type Wait,
} from "@uncaged/workflow-protocol";

type Place = LeaseRef & Pick<PersonWait, "member">;

/** `closed`: no answer is taken any more. */
type Kept = Ask & { answer: AskAnswer | "closed" | null };

type MemoryAsks = {
  ask: (ask: Ask) => void;
  askMembers: (request: LeaseRef & { waits: readonly PersonWait[] }) => void;
  /** Members for whom a thread was suspended stay asked. */
  keep: (owner: LeaseRef, before: readonly Wait[]) => void;
  /** False: one of those for whom the thread would wait has answered. */
  handOver: (threadId: string, waits: readonly Wait[]) => boolean;
  forget: (threadId: string) => void;
  members: (threadId: string) => AskedMember[];
  close: (request: LeaseRef & { members: readonly number[] | null }) => void;
  open: (isWanted: (ask: Ask) => boolean) => Ask[];
  isAsked: (threadId: string) => boolean;
  /** False: this is not asked. */
  answer: (request: Ask & { answer: AskAnswer }) => boolean;
  answerTo: (place: Place) => AskAnswer | null;
  withdraw: (place: Place) => AskAnswer | null;
};

/** The asks of a store in memory, whoever owns the threads. */
export function memoryAsks(): MemoryAsks {
  let kept: Kept[] = [];
  const find = ({ threadId, fence, member }: Place): Kept | undefined =>
    kept.find(
      (each) => each.threadId === threadId && each.fence === fence && each.wait.member === member,
    );
  const put = ({ threadId, fence, wait }: Ask): void => {
    const isSame = (each: Kept): boolean =>
      each.threadId === threadId && each.wait.member === wait.member;
    const before = kept.find(isSame);
    const stands = before !== undefined && !isByStep(before) && before.wait.since === wait.since;
    const answer = stands && before.answer !== "closed" ? before.answer : null;
    kept = [...kept.filter((each) => !isSame(each)), { threadId, fence, wait, answer }];
  };
  const members = (threadId: string): Kept[] =>
    kept.filter((each) => each.threadId === threadId && !isByStep(each));
  const forget = (threadId: string): void => {
    kept = kept.filter((each) => each.threadId !== threadId);
  };
  return {
    ask: ({ threadId, fence, wait }) => {
      kept = kept.filter(
        (each) =>
          each.threadId !== threadId ||
          ((each.fence >= fence || !isByStep(each)) && each.wait.member !== wait.member),
      );
      kept.push({ threadId, fence, wait, answer: null });
    },
    askMembers: ({ threadId, fence, waits }) => {
      const wanted = new Set(waits.map(({ member }) => member));
      const others = members(threadId).filter(({ wait }) => !wanted.has(wait.member));
      kept = kept.filter((each) => !others.includes(each));
      for (const wait of waits) put({ threadId, fence, wait });
    },
    keep: (owner, before) => {
      for (const wait of before.filter(isPersonWait))
        if (wait.member !== undefined) put({ ...owner, wait });
    },
    handOver: (threadId, waits) => {
      const isAnswered = (wait: Wait): boolean =>
        isPersonWait(wait) &&
        members(threadId).some(
          ({ wait: { member, since }, answer }) =>
            answerIn(answer) !== null && member === wait.member && since === wait.since,
        );
      if (waits.some(isAnswered)) return false;
      forget(threadId);
      return true;
    },
    forget,
    members: (threadId) =>
      members(threadId)
        .sort((a, b) => (a.wait.member ?? -1) - (b.wait.member ?? -1))
        .map(({ wait, answer }) => ({ wait, answer: answerIn(answer) })),
    close: ({ threadId, fence, members: which }) => {
      for (const each of members(threadId)) {
        const isMeant = which === null || which.includes(each.wait.member ?? -1);
        if (isMeant && each.fence <= fence && each.answer === null) each.answer = "closed";
      }
    },
    open: (isWanted) =>
      kept
        .filter((each) => each.answer === null && isWanted(each))
        .map(({ answer: _, ...ask }) => ask)
        .sort((a, b) => a.wait.since - b.wait.since),
    isAsked: (threadId) => kept.some((each) => each.threadId === threadId && each.answer === null),
    answer: ({ threadId, fence, wait, answer }) => {
      const asked =
        wait.permission === true
          ? find({ threadId, fence, ...wait })
          : members(threadId).find((each) => each.wait.member === wait.member);
      if (asked?.answer !== null || asked.wait.since !== wait.since) return false;
      asked.answer = answer;
      return true;
    },
    answerTo: (place) => answerIn(find(place)?.answer ?? null),
    withdraw: (place) => {
      const asked = find(place);
      kept = kept.filter((each) => each !== asked);
      return answerIn(asked?.answer ?? null);
    },
  };
}

function isByStep({ wait }: Ask): boolean {
  return wait.permission === true;
}

function answerIn(answer: Kept["answer"]): AskAnswer | null {
  return answer === "closed" ? null : answer;
}
