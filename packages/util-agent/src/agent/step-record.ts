/** Collects the run record of a step, turn by turn. */
import {
  estimatedUsage,
  type JsonValue,
  type StepRun,
  sumUsage,
  type Usage,
} from "@uncaged/workflow-protocol";
import type { TurnResult } from "../driver/agent-driver.ts";

const MOST_NOTES = 20;

export class StepRecord {
  readonly #start: Pick<StepRun, "agent" | "cwd" | "policy" | "startedAt">;
  readonly #redact: (text: string) => string;
  readonly #notes: string[] = [];
  #session: string | null = null;
  #prompt: string | null = null;
  #usage: Usage | null = null;
  #rawUsage: JsonValue | null = null;
  #model: string | null = null;
  #denials = 0;

  constructor(start: Pick<StepRun, "agent" | "cwd" | "policy">, redact: (text: string) => string) {
    this.#start = { ...start, startedAt: Date.now() };
    this.#redact = redact;
  }

  /** Hash of the prompt that began or resumed the session. */
  prompted(hash: string): void {
    this.#prompt = hash;
  }

  /** Records a turn, failed ones included, because they were paid for. Id and counters of a lost session are not
   *  kept: the next one counts from zero. */
  turn(prompt: string, turn: TurnResult): void {
    const { session, sessionLost, rawUsage, denials } = turn;
    this.#session = sessionLost ? null : (session ?? this.#session);
    this.#usage = sumUsage(this.#usage, turn.usage ?? estimateOf(prompt, turn));
    this.#model = turn.model ?? this.#model;
    this.#rawUsage = sessionLost ? null : (rawUsage ?? this.#rawUsage);
    this.#denials += denials;
  }

  note(text: string): void {
    if (this.#notes.length < MOST_NOTES) this.#notes.push(this.#redact(text));
  }

  run({ hashes, dropped }: { hashes: readonly string[]; dropped: number }): StepRun {
    const notes = [...this.#notes];
    if (this.#denials > 0) notes.push(`the tool policy refused ${calls(this.#denials)}`);
    if (dropped > 0) notes.push(`${calls(dropped)} more were seen and not kept`);
    return {
      ...this.#start,
      agent: { ...this.#start.agent, ...(this.#model === null ? {} : { model: this.#model }) },
      session: this.#session,
      prompt: this.#prompt,
      completedAt: Date.now(),
      usage: this.#usage,
      ...(this.#rawUsage === null ? {} : { rawUsage: this.#rawUsage }),
      ...(notes.length === 0 ? {} : { notes }),
      evidence: hashes,
    };
  }
}

/** A budget has to count something for an agent that reports no usage: at least what was sent to it, and what it
 *  answered. An agent that failed without any output may not have reached its model. */
function estimateOf(prompt: string, { outcome, text }: TurnResult): Usage | null {
  if (outcome !== "ok" && text === "") return null;
  return estimatedUsage({ sentChars: prompt.length, receivedChars: text.length });
}

function calls(count: number): string {
  return count === 1 ? "1 tool call" : `${count} tool calls`;
}
