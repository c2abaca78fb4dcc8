/** Unplanned ends, in the middle of a tool call. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runMembers } from "@uncaged/workflow-util";
import type { Bench, Played } from "../bench/open-bench.ts";
import { ANSWER, type Behaviour, ending, endsAs, type Facts } from "./behaviour.ts";

/** Signals with grace periods, then SIGKILL. */
const STOPPED_WITHIN_MS = 12_000;
const POLL_MS = 50;

export const STOPS: readonly Behaviour[] = [
  {
    id: "abort",
    says: "a thread that is stopped during a tool call leaves no process, and the step is cancelled",
    async play(bench) {
      const stop = new AbortController();
      return duringTool(bench, stop.signal, () => stop.abort());
    },
    expects: { ...endsAs("cancelled"), began: true, inTime: true },
  },
  {
    id: "agent-killed",
    says: "an agent that is killed during a tool call leaves no process, and the step has crashed",
    play: (bench) => duringTool(bench, undefined, () => killAgent(bench.processTag)),
    expects: { ...endsAs("crashed"), began: true, inTime: true },
  },
  {
    id: "goes-on",
    says: "after an agent was killed the role resumes the same session, or says why not",
    async play(bench) {
      const first = await bench.play({ prompt: `Step one. ${ANSWER}` });
      await duringTool(bench, undefined, () => killAgent(bench.processTag));
      const third = await bench.play({ prompt: `Step three. ${ANSWER}` });
      const same = first.run?.session === third.run?.session;
      return { ...ending(third), said: same || (third.run?.notes ?? []).length > 0 };
    },
    expects: { ...endsAs("ok"), said: true },
  },
];

/** Runs a step whose tool never ends, and does something once the tool runs. */
async function duringTool(
  bench: Bench,
  signal: AbortSignal | undefined,
  act: () => void,
): Promise<Facts> {
  const mark = join(bench.cwd, "tool-runs");
  const prompt = `[[shell:touch ${mark}; tail -f /dev/null]] ${ANSWER}`;
  let actedMs = Number.NaN;
  let over = false;
  const step: Promise<Played> = bench
    .play({ prompt, ...(signal === undefined ? {} : { signal }) })
    .finally(() => {
      over = true;
    });
  while (!over && !existsSync(mark)) await sleep(POLL_MS);
  const began = !over;
  if (began) {
    actedMs = performance.now();
    act();
  }
  const played = await step;
  return { ...ending(played), began, inTime: performance.now() - actedMs < STOPPED_WITHIN_MS };
}

/** The processes that the adapter itself started; whatever those started is left alone. */
function killAgent(processTag: string): void {
  for (const { pid, parent } of runMembers({ tag: processTag })) {
    if (parent === process.pid) process.kill(pid, "SIGKILL");
  }
}
