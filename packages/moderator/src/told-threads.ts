/** Records which steps of which threads the evaluating process was sent, so that each is sent once.
 *
 *  An array of steps identifies its thread, as in the projection: it grows, or it is a different one. */
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import type { ModeratorContext, ModeratorStep } from "@uncaged/workflow-protocol";
import type { ThreadHead } from "./evaluator-messages.ts";

export type Told = {
  id: number;
  head: ThreadHead;
  /** The ends of the array as last seen, to detect changes. */
  first: ModeratorStep | undefined;
  last: ModeratorStep | undefined;
  length: number;
  /** Length of the JSON texts it was sent. */
  chars: number;
};

/** A thread whose steps were replaced does not stay long in any case. */
const MOST_THREADS = 64;
const BATCH_CHARS = 1_048_576;

export class ToldThreads {
  readonly #byArray = new WeakMap<readonly ModeratorStep[], Told>();
  /** Those that are kept, the most recently used one at the end. */
  readonly #kept = new Map<number, Told>();
  #ids = 0;

  /** null: nothing of it, or not as it is now. */
  known({ steps, ...head }: ModeratorContext): Told | null {
    const told = this.#byArray.get(steps);
    if (told === undefined || !this.#kept.has(told.id) || !isSame(told.head, head)) return null;
    const { first, last, length } = told;
    const grew = steps.length >= length && steps[length - 1] === last;
    return grew && (length === 0 || steps[0] === first) ? told : null;
  }

  /** Records that this many more characters of a thread were sent. */
  note({ steps, ...head }: ModeratorContext, known: Told | null, chars: number): Told {
    const id = known?.id ?? this.#ids++;
    const [first, last, length] = [steps[0], steps.at(-1), steps.length];
    const told = { id, head, first, last, length, chars: (known?.chars ?? 0) + chars };
    this.#byArray.set(steps, told);
    this.#kept.delete(id);
    this.#kept.set(id, told);
    return told;
  }

  /** Forgets the least recently used threads until there is room; returns their ids. */
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

/** JSON texts of lists, none of them large unless a single step is. */
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
