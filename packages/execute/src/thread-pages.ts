/** The conversation of a thread, a page at a time, for agents that pull what they need.
 *
 *  1. Reading costs the page, not the thread: steps are found over the skip list. Of a thread that was upgraded
 *     the whole chain is read: its states are not its rounds.
 *  2. Rounds are derived while reading; only role results are rounds.
 *  3. What is left out is named together with the option that loads it. */
import { ancestorAt } from "@uncaged/workflow-cas";
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import { loadChain, roleStates } from "./chain.ts";
import {
  type ContextMessage,
  contextMessage,
  cutMessage,
  renderMessage,
} from "./context-message.ts";
import type { Engine } from "./engine.ts";
import { readNode } from "./read-node.ts";
import { ancestorsIn, roundEnds } from "./round-ends.ts";

export type ContextPage = {
  threadId: string;
  /** Rounds the thread has now. */
  rounds: number;
  /** In order. In the overview the first may be followed by a gap. */
  messages: ContextMessage[];
  /** Messages between the first and the next shown, or before the page; null when none is left out. */
  omitted: { count: number; before: number } | null;
};

export const DEFAULT_BUDGET_CHARS: number = 8_000;

/** `before: null`: the first message, and as many of the last as fit into the budget. Otherwise the messages
 *  before that round, as many as fit, without the first. A message that alone exceeds the budget is cut. */
export async function threadPage(
  engine: Pick<Engine, "cas">,
  thread: ThreadRecord,
  opts: { budgetChars: number; before: number | null },
): Promise<ContextPage> {
  const rounds = thread.stepCount;
  const { threadId } = thread;
  if (rounds === 0) return { threadId, rounds, messages: [], omitted: null };
  const end = Math.min(opts.before ?? rounds + 1, rounds + 1) - 1;
  const walk = await startWalk(engine, thread);
  const first = opts.before === null ? [await walk.message(1)] : [];
  const shownFirst = first.map((message) => cutMessage(message, Math.floor(opts.budgetChars / 2)));
  const left = opts.budgetChars - totalChars(shownFirst);
  const last = await lastThatFit(walk, { end, downTo: 2, budgetChars: left });
  const from = last[0]?.round ?? end + 1;
  const count = Math.max(0, from - 2);
  return {
    threadId,
    rounds,
    messages: [...shownFirst, ...last],
    omitted: count === 0 ? null : { count, before: from },
  };
}

/** The page as text: header lines, front matter, bodies, and the hint where something is left out. */
export function renderPage(page: ContextPage): string {
  const { omitted } = page;
  const gap =
    omitted === null
      ? []
      : [
          `... ${omitted.count} ${omitted.count === 1 ? "message" : "messages"} omitted (use --before ${omitted.before} to load) ...`,
        ];
  const [first, ...others] = page.messages;
  if (first === undefined) return gap.join("");
  const parts = first.round === 1 ? [first, ...gap, ...others] : [...gap, first, ...others];
  return parts.map((part) => (typeof part === "string" ? part : renderMessage(part))).join("\n\n");
}

type Walk = {
  message: (round: number) => Promise<ContextMessage>;
};

/** Reads steps by round, the neighbour before the last one read without a jump. */
async function startWalk({ cas }: Pick<Engine, "cas">, thread: ThreadRecord): Promise<Walk> {
  const ends = await roundEnds(cas, thread);
  if (ends === null) return walkUpgraded({ cas }, thread);
  const { first, last } = ends;
  const ancestorsOf = ancestorsIn(cas);
  const read = async (hash: string, round: number): Promise<ContextMessage> =>
    contextMessage(cas, await readNode(cas, hash, "state"), round);
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
      return contextMessage(engine.cas, state.node, round);
    },
  };
}

async function lastThatFit(
  walk: Walk,
  { end, downTo, budgetChars }: { end: number; downTo: number; budgetChars: number },
): Promise<ContextMessage[]> {
  const messages: ContextMessage[] = [];
  let left = budgetChars;
  for (let round = end; round >= downTo; round--) {
    const message = await walk.message(round);
    const chars = renderMessage(message).length;
    if (chars > left) {
      // The newest is always shown, as far as it fits.
      if (messages.length === 0) messages.push(cutMessage(message, left));
      break;
    }
    messages.unshift(message);
    left -= chars;
  }
  return messages;
}

function totalChars(messages: readonly ContextMessage[]): number {
  return messages.reduce((sum, message) => sum + renderMessage(message).length, 0);
}
