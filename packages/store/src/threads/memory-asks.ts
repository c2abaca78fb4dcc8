import type { Ask, AskAnswer, LeaseRef, PersonWait } from "@uncaged/workflow-protocol";

type Place = LeaseRef & Pick<PersonWait, "member">;

/** The asks of a store in memory, whoever owns the threads. */
export function memoryAsks(): {
  ask: (ask: Ask) => void;
  open: (isWanted: (ask: Ask) => boolean) => Ask[];
  /** False: this is not asked. */
  answer: (request: Ask & { answer: AskAnswer }) => boolean;
  answerTo: (place: Place) => AskAnswer | null;
  withdraw: (place: Place) => AskAnswer | null;
} {
  let kept: (Ask & { answer: AskAnswer | null })[] = [];
  const find = ({ threadId, fence, member }: Place): (typeof kept)[number] | undefined =>
    kept.find(
      (each) => each.threadId === threadId && each.fence === fence && each.wait.member === member,
    );
  return {
    ask: ({ threadId, fence, wait }) => {
      kept = kept.filter(
        (each) =>
          each.threadId !== threadId || (each.fence >= fence && each.wait.member !== wait.member),
      );
      kept.push({ threadId, fence, wait, answer: null });
    },
    open: (isWanted) =>
      kept
        .filter((each) => each.answer === null && isWanted(each))
        .map(({ answer: _, ...ask }) => ask)
        .sort((a, b) => a.wait.since - b.wait.since),
    answer: ({ threadId, fence, wait, answer }) => {
      const asked = find({ threadId, fence, ...wait });
      if (asked?.answer !== null || asked.wait.since !== wait.since) return false;
      asked.answer = answer;
      return true;
    },
    answerTo: (place) => find(place)?.answer ?? null,
    withdraw: (place) => {
      const asked = find(place);
      kept = kept.filter((each) => each !== asked);
      return asked?.answer ?? null;
    },
  };
}
