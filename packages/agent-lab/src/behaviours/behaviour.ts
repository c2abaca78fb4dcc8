import type { JsonValue } from "@uncaged/workflow-protocol";
import type { Bench, Played } from "../bench/open-bench.ts";

/** What was observed about an agent, by the name of each fact. */
export type Facts = { readonly [fact: string]: JsonValue };

/** Something that every adapter must do in the same way. */
export type Behaviour = {
  /** Its name in tables and where an adapter differs. */
  id: string;
  /** A sentence. */
  says: string;
  /** Performs it on its own bench and returns what was observed. */
  play(bench: Bench): Promise<Facts>;
  /** What must be observed, for an adapter that does not differ. */
  expects: Facts;
};

/** Script of a model that answers at once, and correctly. */
export const ANSWER = '[[json:{"status":"ok"}]]';

/** An answer that does not match. */
export const MISFIT = '[[json:{"status":"perhaps"}]]';

/** How a step ended, which is checked every time: nothing of it is left, and its cost is known. */
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
