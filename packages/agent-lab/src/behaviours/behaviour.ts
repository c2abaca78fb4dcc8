import type { JsonValue } from "@uncaged/workflow-protocol";
import type { Bench, Played } from "../bench/open-bench.ts";

/** What was seen of an agent, one name a fact. */
export type Facts = { readonly [fact: string]: JsonValue };

/** Something that every adapter has to do alike. */
export type Behaviour = {
  /** Names it in tables and where an adapter differs. */
  id: string;
  /** A sentence. */
  says: string;
  /** Plays it on a bench of its own and tells what was seen. */
  play(bench: Bench): Promise<Facts>;
  /** What has to be seen, of an adapter that does not differ. */
  expects: Facts;
};

/** Script of a model that answers at once, and well. */
export const ANSWER = '[[json:{"status":"ok"}]]';

/** An answer that does not fit. */
export const MISFIT = '[[json:{"status":"perhaps"}]]';

/** How a step ended, which is asked of every one: nothing is left of it, and what it cost is known. */
export const ending = ({ outcome, left, run }: Played): Facts => ({
  outcome,
  left: [...left],
  recorded: run !== null,
});

export const endsAs = (outcome: Played["outcome"]): Facts => ({
  outcome,
  left: [],
  recorded: true,
});
