/** The conversation of a thread, a page at a time, for agents that pull what they need.
 *
 *  1. The cost depends on the page, not on the thread: steps are found through the skip list. A thread that was
 *     upgraded is read completely, because its states do not map to its rounds one to one.
 *  2. Rounds are computed while reading; only role results are rounds. The prompt of the thread is not a round; it
 *     comes first, as #0. What a role was told comes before its round and belongs to it.
 *  3. Whatever is left out is mentioned together with the option that loads it. */
import { ancestorAt } from "@uncaged/workflow-cas";
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import { loadChain, promptHash, roleStates } from "../chain/chain.ts";
import { readNode } from "../chain/read-node.ts";
import { ancestorsIn, roundEnds } from "../chain/round-ends.ts";
import type { Engine } from "../storage/engine.ts";
import { type ContextMessage, contextMessage } from "./context-message.ts";
import { entry, messageText, startHeader } from "./context-text.ts";
import { type ContextWaiting, contextWaiting, waitingText } from "./context-waiting.ts";

export type ContextPage = {
  threadId: string;
  /** Number of rounds the thread has now. */
  rounds: number;
  /** The prompt that the thread was started with; null on a page before a round. */
  start: { prompt: string; promptHash: string; timestamp: number; cut: boolean } | null;
  /** In order. In the overview there may be a gap after the first. */
  messages: ContextMessage[];
  /** Number of messages between the first and the next shown, or before the page; null when none is left out. */
  omitted: { count: number; before: number } | null;
  /** What has been asked, or said to the next role, since the last round; empty on a page before a round. */
  waiting: ContextWaiting[];
};

export const DEFAULT_BUDGET_CHARS: number = 8_000;

/** `before: null`: the thread's prompt, the first message, and as many of the last ones as fit into the budget.
 *  Otherwise the messages before that round, as many as fit, without the first. A message that alone exceeds its share
 *  of the budget is cut. `text` is the page as agents read it; it stays within `budgetChars`, unless the headers alone
 *  need more. */
export async function threadPage(
  engine: Pick<Engine, "cas">,
  thread: ThreadRecord,
  { budgetChars, before }: { budgetChars: number; before: number | null },
): Promise<{ page: ContextPage; text: string }> {
  const { threadId, stepCount: rounds } = thread;
  const isOverview = before === null;
  const waiting = isOverview ? contextWaiting(thread) : [];
  const begin = isOverview ? await startPart(engine, thread, share(rounds, budgetChars)) : null;
  const whole = `uncaged-workflow thread show ${threadId}`;
  const end = waiting.map((each) => waitingText(each, { room: budgetChars / 4, whole }));
  const left = budgetChars - chars([...(begin === null ? [] : [begin.text]), ...end]);
  const { parts, omitted } =
    rounds === 0 ? NO_ROUNDS : await roundParts(engine, thread, { budgetChars: left, before });
  const messages = parts.map(({ message }) => message);
  const page = { threadId, rounds, start: begin?.start ?? null, messages, omitted, waiting };
  const texts = withGap(parts, omitted);
  return { page, text: [begin?.text ?? "", ...texts, ...end].filter(Boolean).join("\n\n") };
}

/** Before the first step there is only the task. */
function share(rounds: number, budgetChars: number): number {
  return rounds === 0 ? (budgetChars * 3) / 4 : budgetChars / 4;
}

async function startPart(
  { cas }: Pick<Engine, "cas">,
  { startHash, startedAt: timestamp }: ThreadRecord,
  room: number,
): Promise<{ start: ContextPage["start"]; text: string }> {
  const hash = promptHash(await readNode(cas, startHash, "start"));
  const { payload } = await readNode(cas, hash, "content");
  const whole = `uncaged-workflow cas get --payload ${hash}`;
  const { text, content, cut } = entry(startHeader(timestamp), payload, { room, whole });
  return { start: { prompt: content, promptHash: hash, timestamp, cut }, text };
}

type Part = ReturnType<typeof messageText>;
type Parts = { parts: Part[]; omitted: ContextPage["omitted"] };

const NO_ROUNDS: Parts = { parts: [], omitted: null };
/** The hint for a gap, and the blank lines around it. */
const GAP_CHARS = 64;

async function roundParts(
  engine: Pick<Engine, "cas">,
  thread: ThreadRecord,
  { budgetChars, before }: { budgetChars: number; before: number | null },
): Promise<Parts> {
  const end = Math.min(before ?? thread.stepCount + 1, thread.stepCount + 1) - 1;
  const walk = await startWalk(engine, thread);
  const budget = budgetChars - GAP_CHARS;
  const first = before === null ? [messageText(await walk.message(1), budget / 3)] : [];
  const left = budget - chars(first.map(({ text }) => text));
  const last = await lastThatFit(walk, { end, downTo: 2, budgetChars: left });
  const from = last[0]?.message.round ?? end + 1;
  const count = Math.max(0, from - 2);
  return { parts: [...first, ...last], omitted: count === 0 ? null : { count, before: from } };
}

/** The hint goes where something is left out: after the first message, or before the page. */
function withGap(parts: readonly Part[], omitted: ContextPage["omitted"]): string[] {
  const texts = parts.map(({ text }) => text);
  if (omitted === null) return texts;
  const { count, before } = omitted;
  const hint = `... ${count} ${count === 1 ? "message" : "messages"} omitted (use --before ${before} to load) ...`;
  return texts.toSpliced(parts[0]?.message.round === 1 ? 1 : 0, 0, hint);
}

type Walk = {
  message: (round: number) => Promise<ContextMessage>;
};

/** Reads steps by round. The one before the last one read needs no jump. */
async function startWalk({ cas }: Pick<Engine, "cas">, thread: ThreadRecord): Promise<Walk> {
  const ends = await roundEnds(cas, thread);
  if (ends === null) return walkUpgraded({ cas }, thread);
  const { first, last } = ends;
  const ancestorsOf = ancestorsIn(cas);
  const read = async (hash: string, round: number): Promise<ContextMessage> =>
    contextMessage(cas, { hash, node: await readNode(cas, hash, "state") }, round);
  let at = { hash: last, round: thread.stepCount };
  return {
    message: async (round) => {
      if (round === 1) return read(first, 1);
      // Rounds are read from the first and then downwards from the last: never far upwards.
      const from = at.round >= round ? at : { hash: last, round: thread.stepCount };
      const hash = (await ancestorAt(from.hash, from.round - round, ancestorsOf)) ?? from.hash;
      at = { hash, round };
      return read(hash, round);
    },
  };
}

async function walkUpgraded(engine: Pick<Engine, "cas">, thread: ThreadRecord): Promise<Walk> {
  const states = roleStates(await loadChain(engine.cas, thread));
  return {
    message: async (round) => {
      const state = states[round - 1];
      if (state === undefined)
        throw new RangeError(`thread ${thread.threadId} has no round ${round}`);
      return contextMessage(engine.cas, state, round);
    },
  };
}

async function lastThatFit(
  walk: Walk,
  { end, downTo, budgetChars }: { end: number; downTo: number; budgetChars: number },
): Promise<Part[]> {
  const parts: Part[] = [];
  let left = budgetChars;
  for (let round = end; round >= downTo; round--) {
    const message = await walk.message(round);
    // The newest is always shown, as far as it fits.
    const part = messageText(message, parts.length === 0 ? left : Infinity);
    const length = chars([part.text]);
    if (length > left && parts.length > 0) break;
    parts.unshift(part);
    left -= length;
  }
  return parts;
}

/** Including the blank line after each. */
function chars(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + 2, 0);
}
