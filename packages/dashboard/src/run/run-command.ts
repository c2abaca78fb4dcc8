import type { StartThread } from "@uncaged/workflow-gateway/contract";
import { shellWord } from "../inbox/command-line.ts";

/** The command that starts the same thread. */
export function runCommand({ workflow, prompt, limits, run, ...more }: StartThread): string {
  const { steps, tokens, costUsd, timeMs } = limits ?? {};
  const labels = Object.entries(more.labels ?? {});
  return [
    `uwf run ${shellWord(workflow)} --prompt ${shellWord(prompt)}`,
    ...(more.cwd === undefined ? [] : [`--cwd ${shellWord(more.cwd)}`]),
    ...(more.title === undefined ? [] : [`--title ${shellWord(more.title)}`]),
    ...labels.map(([name, value]) => `--label ${shellWord(`${name}=${value}`)}`),
    ...(steps === undefined ? [] : [`--max-steps ${steps}`]),
    ...(tokens === undefined ? [] : [`--max-tokens ${tokens}`]),
    ...(costUsd === undefined ? [] : [`--max-cost ${costUsd}`]),
    ...(timeMs === undefined ? [] : [`--max-time ${Math.round(timeMs / 1_000)}s`]),
    ...(more.priority === undefined ? [] : [`--priority ${more.priority}`]),
    ...(run === "idle" ? ["--idle"] : typeof run === "object" ? ["--queue"] : []),
  ].join(" ");
}
