import { viewThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result, type ThreadView } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";
import { printable, printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { ago, isoSeconds } from "../../terminal/times.ts";
import { activityLines } from "../view/activity-lines.ts";
import { howToContinue } from "../view/how-to-continue.ts";
import { paintStatus } from "../view/paint-status.ts";
import { queuedFor } from "../view/queued-for.ts";
import { renderStep } from "../view/render-step.ts";
import { resultLines } from "../view/result-lines.ts";
import { spent } from "../view/spent.ts";
import { waitingFor } from "../view/waiting-for.ts";
import { workerLines } from "../view/worker-lines.ts";

export async function show(id: string, io: Io): Promise<Result<Output, Failure>> {
  return withThread(io, id, async (engine, thread) => {
    const view = await viewThread(engine, thread);
    return ok({ document: view, human: (style) => text(view, { style, nowMs: io.now() }) });
  });
}

function text(view: ThreadView, { style, nowMs }: { style: Style; nowMs: number }): string {
  const { start, steps, upgrades, result, suspended, activity, end, unrecorded, workers } = view;
  const upgradesAt = (round: number): string[] =>
    upgrades
      .filter(({ afterRound }) => afterRound === round)
      .map(({ from, to, timestamp }) =>
        style.dim(`version ${from} replaced by ${to}  ${isoSeconds(timestamp)}\n`),
      );
  // The usage of a role that failed the thread counts as well, and so do attempts that made no step.
  const agents = spent([...steps.map(({ run }) => run), end?.run ?? null, ...unrecorded]);
  const stale = view.stale ? " (its runner disappeared; resume continues it)" : "";
  const parts = [
    facts(style, [
      ["thread", style.bold(view.threadId)],
      ["workflow", `${view.workflow}  ${style.dim(view.bundleHash)}`],
      ["status", `${paintStatus(style, view.status)}${stale}`],
      ...(view.queue === null
        ? []
        : [
            [
              "queued",
              `${queuedFor(view.queue)}  ${style.dim(ago(view.queue.since, nowMs))}`,
            ] as const,
          ]),
      ...(view.priority === 0 ? [] : [["priority", String(view.priority)] as const]),
      ["started", `${isoSeconds(start.timestamp)}  ${style.dim(ago(start.timestamp, nowMs))}`],
      ["head", `${view.head}  ${style.dim(count(steps.length, "step"))}`],
      ["folder", printableLine(view.cwd, 200)],
      ...(agents.length === 0 ? [] : [["agents", agents.join("  ")] as const]),
      ...(view.forkedFrom === null ? [] : [["fork of", view.forkedFrom.threadId] as const]),
      ["prompt", printableLine(start.prompt, 200)],
    ]),
    ...upgradesAt(0),
    ...steps.flatMap((step) => [renderStep(step, style), ...upgradesAt(step.round)]),
  ];
  if (activity !== null) parts.push(activityLines(activity, { style, nowMs }));
  if (workers !== undefined)
    parts.push(`${["workers", ...workerLines(workers, style)].join("\n")}\n`);
  if (suspended !== null) {
    const question = `${style.yellow(waitingFor(suspended))} ${printable(suspended.message)}`;
    parts.push(`${question}\n${style.dim(howToContinue(view.threadId, suspended, style))}\n`);
  }
  if (result !== null) {
    const code = style.dim(`return code ${result.returnCode}`);
    parts.push(`${paintStatus(style, view.status)}  ${code}\n${printable(result.summary)}\n`);
    parts.push(...resultLines(result, style).map((lines) => `${lines}\n`));
  }
  return parts.join("\n");
}

function facts(style: Style, lines: readonly (readonly [name: string, value: string])[]): string {
  return lines.map(([name, value]) => `${style.dim(name.padEnd(10))}${value}\n`).join("");
}
