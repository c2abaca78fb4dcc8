/** What the process that evaluates was told of which threads, so that it is told each step once.
 *
 *  An array of steps stands for its thread, as in the projection: it grows, or it is another one. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { ModeratorContext, ModeratorStep } from "@uncaged/workflow-protocol";
import type { ThreadHead } from "./evaluator-messages.ts";

export type Told = {
  id: number;
  head: ThreadHead;
  /** The steps as the array held them, to see what changed. */
  first: ModeratorStep | undefined;
  last: ModeratorStep | undefined;
  length: number;
  /** Of the JSON texts that it was told. */
  chars: number;
};

/** A thread whose steps went another way is not kept for long either way. */
const MOST_THREADS = 64;
const BATCH_CHARS = 1_048_576;

export class ToldThreads {
  readonly #byArray = new WeakMap<readonly ModeratorStep[], Told>();
  /** Those that are kept, the one that was asked about last at the end. */
  readonly #kept = new Map<number, Told>();
  #ids = 0;

  /** null: nothing of it, or not what it is now. */
  known({ steps, ...head }: ModeratorContext): Told | null {
    const told = this.#byArray.get(steps);
    if (told === undefined || !this.#kept.has(told.id) || !isSame(told.head, head)) return null;
    const { first, last, length } = told;
    const grew = steps.length >= length && steps[length - 1] === last;
    return grew && (length === 0 || steps[0] === first) ? told : null;
  }

  /** Notes that a thread was told so many characters more. */
  note({ steps, ...head }: ModeratorContext, known: Told | null, chars: number): Told {
    const id = known?.id ?? this.#ids++;
    const [first, last, length] = [steps[0], steps.at(-1), steps.length];
    const told = { id, head, first, last, length, chars: (known?.chars ?? 0) + chars };
    this.#byArray.set(steps, told);
    this.#kept.delete(id);
    this.#kept.set(id, told);
    return told;
  }

  /** Forgets threads that were not asked about for the longest time, until there is room; gives their ids. */
  forgetFor(known: Told | null, chars: number, maxChars: number): number[] {
    const forgotten: number[] = [];
    const sum = (): number =>
      [...this.#kept.values()].reduce((all, told) => all + told.chars, 0) + chars;
    for (const id of this.#kept.keys()) {
      if (this.#kept.size < MOST_THREADS && sum() <= maxChars) break;
      if (id === known?.id) continue;
      this.#kept.delete(id);
      forgotten.push(id);
    }
    return forgotten;
  }
}

/** JSON texts of lists, none of them large unless a step is. */
export async function jsonBatches(steps: readonly ModeratorStep[]): Promise<string[]> {
  const batches: string[] = [];
  let batch: string[] = [];
  let chars = 0;
  for (const step of steps) {
    const text = JSON.stringify(step);
    batch.push(text);
    chars += text.length;
    if (chars < BATCH_CHARS) continue;
    batches.push(`[${batch.join(",")}]`);
    batch = [];
    chars = 0;
    await turnOfTheLoop();
  }
  return batch.length === 0 ? batches : [...batches, `[${batch.join(",")}]`];
}

function isSame(told: ThreadHead, head: ThreadHead): boolean {
  const { threadId, depth, start, bundleHash } = told;
  const same = threadId === head.threadId && depth === head.depth && start === head.start;
  return same && bundleHash === head.bundleHash;
}
