/** Limits of one thread, set when it is started or raised when it is resumed. */
import type { Limits } from "@uncaged/workflow-protocol";
import {
  amountOption,
  countOption,
  durationOption,
  type Given,
  type Option,
} from "../../command/options.ts";

const steps: Option<number | null> = countOption(
  "--max-steps <n>",
  "steps of the whole thread (default: the workflow's, else 1000)",
  { atLeast: 1 },
);
const tokens: Option<number | null> = countOption(
  "--max-tokens <n>",
  "input and output tokens of the whole thread, its children included",
  { atLeast: 1 },
);
const cost: Option<number | null> = amountOption(
  "--max-cost <usd>",
  "US dollars for the whole thread, as far as its agents report them",
);
const time: Option<number | null> = durationOption(
  "--max-time <duration>",
  "time that its roles may run, such as 90s, 15m or 2h",
);

export const limitOptions: readonly Option<number | null>[] = [steps, tokens, cost, time];

/** null: none was given. */
export function limitsOf(given: Given): Limits | null {
  const limits: Limits = {
    ...named("steps", given(steps)),
    ...named("tokens", given(tokens)),
    ...named("costUsd", given(cost)),
    ...named("timeMs", given(time)),
  };
  return Object.keys(limits).length === 0 ? null : limits;
}

function named(name: keyof Limits, bound: number | null): Limits {
  return bound === null ? {} : { [name]: bound };
}
