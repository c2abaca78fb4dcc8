import {
  type Contender,
  type ForkFiles,
  type ForkPoint,
  type Race,
  raceThread,
} from "@uncaged/workflow-execute";
import { type Failure, type Limits, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";
import { writeText } from "../../command/write-text.ts";
import { cost, tokens } from "../../terminal/money.ts";
import { printableLine } from "../../terminal/printable.ts";
import { renderTable } from "../../terminal/render-table.ts";
import { type Style, styleOf } from "../../terminal/style.ts";
import { duration } from "../../terminal/times.ts";
import { paintStatus } from "../view/paint-status.ts";
import { shortId } from "../view/short-id.ts";

/** Ctrl-C stops the contenders; the work they have done is kept. */
export async function race(
  opts: {
    id: string;
    from: ForkPoint;
    agents: readonly string[];
    limits: Limits | null;
    files: ForkFiles;
  },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, opts.id, async (engine, thread) => {
    const { from, agents, limits, files } = opts;
    const signal = io.interruption();
    const { dim } = styleOf(io.stderr);
    const onStep = (at: { agent: string; threadId: string; steps: number }): void => {
      if (!io.stderr.isTerminal) return;
      void writeText(
        io.stderr,
        `${dim(`${printableLine(at.agent, 60)}  step ${at.steps}  ${at.threadId}`)}\n`,
      );
    };
    const raced = await raceThread(engine, thread, {
      ...{ from, agents, limits, files, startKey: null },
      signal,
      onStep,
    });
    if (!raced.ok) return raced;
    return ok({ document: raced.value, human: (style) => text(raced.value, style) });
  });
}

const LAST_CHARS = 60;

function text({ forkedFrom, contenders }: Race, style: Style): string {
  const table = renderTable<Contender>(
    contenders,
    [
      { title: "AGENT", cell: ({ agent }) => agent },
      {
        title: "STATUS",
        cell: ({ status }) => status,
        paint: (padded, { status }) => paintStatus(style, status, padded),
      },
      { title: "STEPS", cell: ({ steps }) => String(steps), align: "right" },
      { title: "TIME", cell: ({ durationMs }) => duration(durationMs), align: "right" },
      { title: "TOKENS", cell: ({ usage }) => tokens(usage), align: "right" },
      { title: "COST", cell: ({ usage }) => cost(usage), align: "right" },
      {
        title: "THREAD",
        cell: ({ threadId }) => threadId,
        short: ({ threadId }) => shortId(threadId),
      },
      { title: "LAST STEP", cell: lastStep, paint: style.dim, spare: true },
    ],
    style.columns,
  );
  return `${table}${style.dim(`from ${forkedFrom.threadId} at ${forkedFrom.stateHash}`)}\n`;
}

function lastStep({ last, summary }: Contender): string {
  if (last === null) return printableLine(summary ?? "", LAST_CHARS);
  const failed = last.outcome === "ok" ? "" : ` (${last.outcome})`;
  return printableLine(`${last.role}${failed} ${JSON.stringify(last.meta)}`, LAST_CHARS);
}
