import {
  type Failure,
  ok,
  type Result,
  type SpentBy,
  type SpentSum,
  sumUsage,
  type Usage,
} from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { withEngine } from "../../command/with-engine.ts";
import { cost, tokens } from "../../terminal/money.ts";
import { printableLine } from "../../terminal/printable.ts";
import { renderTable } from "../../terminal/render-table.ts";
import type { Style } from "../../terminal/style.ts";

/** What the runs of all threads used, removed threads included. `withinMs`: whole days, UTC; null: however long ago. */
export async function costs(
  { by, withinMs }: { by: SpentBy; withinMs: number | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  const since = withinMs === null ? null : new Date(io.now() - withinMs).toISOString().slice(0, 10);
  const query = since === null ? { by } : { by, sinceDay: since };
  const sums = await withEngine(io, (engine) => engine.store.spent(query));
  const runs = sums.reduce((all, sum) => all + sum.runs, 0);
  const total = sums.map(({ usage }) => usage).reduce<Usage | null>(sumUsage, null);
  return ok({
    document: { by, since, runs, total, costs: sums },
    human: (style) => {
      if (total === null) return `nothing was spent${since === null ? "" : ` since ${since}`}`;
      const all = `${count(runs, "run")}  ${tokens(total)} tokens  ${cost(total)}`;
      return `${table(by, sums, style)}${style.dim(all)}\n`;
    },
  });
}

function table(by: SpentBy, sums: readonly SpentSum[], style: Style): string {
  return renderTable<SpentSum>(
    sums,
    [
      {
        title: by.toUpperCase(),
        cell: ({ key }) => printableLine(key ?? UNKNOWN[by], 60),
        least: 12,
      },
      { title: "RUNS", cell: ({ runs }) => String(runs), align: "right" },
      {
        title: "INPUT",
        spare: true,
        align: "right",
        cell: ({ usage }) => tokens({ ...usage, outputTokens: 0 }),
      },
      {
        title: "OUTPUT",
        spare: true,
        align: "right",
        cell: ({ usage }) => tokens({ ...usage, inputTokens: 0 }),
      },
      { title: "TOKENS", align: "right", cell: ({ usage }) => tokens(usage) },
      { title: "COST", align: "right", cell: ({ usage }) => cost(usage) },
    ],
    style.columns,
  );
}

/** The label of a sum without a name. */
const UNKNOWN: { readonly [by in SpentBy]: string } = {
  workflow: "–",
  role: "(end of a thread)",
  agent: "–",
  model: "(not reported)",
  day: "–",
};
