/** Which threads wait for room, and for what. */
import { type ListedThread, queuedThreads, wakeHost } from "@uncaged/workflow-execute";
import { type Failure, type Hold, limitInWords, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { withEngine } from "../../command/with-engine.ts";
import { printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { ago, isoSeconds } from "../../terminal/times.ts";
import { queuedFor } from "../view/queued-for.ts";
import { threadTable } from "../view/thread-table.ts";

export async function showQueue(io: Io): Promise<Result<Output, Failure>> {
  const { threads, pausedSince, holds } = await withEngine(io, async (engine) => ({
    threads: await queuedThreads(engine),
    pausedSince: await engine.dispatch.pausedSince(),
    holds: await engine.dispatch.holds(io.now()),
  }));
  return ok({
    document: { threads, pausedSince, holds },
    human: (style) => {
      const at = { style, nowMs: io.now() };
      const closed =
        pausedSince === null
          ? ""
          : `paused ${ago(pausedSince, at.nowMs)}; open it with: uncaged-workflow queue resume\n`;
      const held = holds.map((hold) => `${heldInWords(hold)}\n`).join("");
      return (
        closed + held + (threads.length === 0 ? "nothing is queued\n" : queueTable(threads, at))
      );
    },
  });
}

function heldInWords({ key, untilMs }: Hold): string {
  const who = printableLine(limitInWords(key), 200);
  return `${who} has turned us away until ${isoSeconds(untilMs)}; to try it sooner: uncaged-workflow queue resume`;
}

/** Closes the queue, or opens it. */
export async function steerQueue(
  action: "pause" | "resume",
  io: Io,
): Promise<Result<Output, Failure>> {
  const pausedSince = await withEngine(io, async ({ dispatch, now }) => {
    if (action === "pause") await dispatch.pause(now());
    else await dispatch.resume();
    return dispatch.pausedSince();
  });
  await wakeHost(storageRoot(io.env));
  const said = pausedSince === null ? "the queue is open" : "the queue is paused: nothing starts";
  return ok({ document: { pausedSince }, human: () => said });
}

/** Queued threads in the order of their turns. */
export function queueTable(
  threads: readonly ListedThread[],
  { style, nowMs }: { style: Style; nowMs: number },
): string {
  return threadTable(threads, {
    style,
    nowMs,
    more: [
      { title: "PRIORITY", align: "right", cell: ({ priority }) => String(priority) },
      { title: "QUEUED", cell: ({ queue }) => (queue === null ? "" : ago(queue.since, nowMs)) },
      {
        title: "WAITS FOR",
        cell: ({ queue }) => (queue === null ? "" : queuedFor(queue).replace(/^waits for /, "")),
      },
    ],
  });
}
