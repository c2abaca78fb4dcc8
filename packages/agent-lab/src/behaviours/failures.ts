/** What the model's endpoint does wrong. */
import { ANSWER, type Behaviour, ending, endsAs } from "./behaviour.ts";

/** For agents that keep retrying. */
const SHORT = { timeoutMs: 40_000 };
const IDLE_MS = 6_000;
/** An agent that is stopped because of its silence is gone this long after. */
const STOPPED_WITHIN_MS = IDLE_MS + 12_000;

export const FAILURES: readonly Behaviour[] = [
  {
    id: "429-once",
    says: "a temporary rate limit is waited out",
    play: async (bench) => ending(await bench.play({ prompt: `Answer. [[429:1]] ${ANSWER}` })),
    expects: endsAs("ok"),
  },
  {
    id: "429",
    says: "a permanent rate limit ends the step as rate_limited, within its time",
    play: async (bench) => ending(await bench.play({ prompt: "Answer. [[429]]", options: SHORT })),
    expects: endsAs("rate_limited"),
  },
  {
    id: "overflow",
    says: "a prompt that is too long for the model ends the step as context_overflow",
    play: async (bench) => ending(await bench.play({ prompt: "Answer. [[overflow]]" })),
    expects: endsAs("context_overflow"),
  },
  {
    id: "unauthorized",
    says: "a key that the endpoint refuses ends the step as auth",
    play: async (bench) => ending(await bench.play({ prompt: "Answer. [[unauthorized]]" })),
    expects: endsAs("auth"),
  },
  {
    id: "silence",
    says: "an agent that stops responding is stopped at its idle limit",
    async play(bench) {
      const options = { idleTimeoutMs: IDLE_MS };
      const step = await bench.play({ prompt: "Answer. [[silence]]", options });
      return { ...ending(step), inTime: step.durationMs < STOPPED_WITHIN_MS };
    },
    expects: { ...endsAs("timeout"), inTime: true },
  },
  {
    id: "cut-once",
    says: "a stream that breaks once is retried",
    play: async (bench) => ending(await bench.play({ prompt: `Answer. [[cut:1]] ${ANSWER}` })),
    expects: endsAs("ok"),
  },
  {
    id: "cut",
    says: "a stream that always breaks ends the step as crashed, within its time",
    play: async (bench) => ending(await bench.play({ prompt: "Answer. [[cut]]", options: SHORT })),
    expects: endsAs("crashed"),
  },
];
