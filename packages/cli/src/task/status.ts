import { setTimeout as sleep } from "node:timers/promises";
import type { Failure, Result, TaskState } from "@uncaged/workflow-protocol";
import { ok } from "@uncaged/workflow-protocol";
import { lastSign, type TaskDesk } from "@uncaged/workflow-tasks";
import type { Output, Said } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { writeText } from "../command/write-text.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import { type Style, styleOf } from "../terminal/style.ts";
import { ago } from "../terminal/times.ts";
import { type ShownTask, shownTask } from "./shown-task.ts";
import { withDesk } from "./with-desk.ts";

export type StatusFilter = {
  id: string | null;
  state: TaskState | null;
  stale: boolean;
};

export async function status(
  filter: StatusFilter & { watch: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withDesk(io, null, async (desk) =>
    filter.watch ? watch(desk, filter, io) : ok(answer(await chosen(desk, filter, io), io)),
  );
}

/** The tasks as columns of a board. */
export async function board(io: Io): Promise<Result<Output, Failure>> {
  return withDesk(io, null, async (desk) => {
    const tasks = await chosen(desk, { id: null, state: null, stale: false }, io);
    return ok({ document: { tasks }, human: (style) => columns(tasks, style) });
  });
}

async function chosen(
  { store, place }: TaskDesk,
  { id, state, stale }: StatusFilter,
  io: Io,
): Promise<ShownTask[]> {
  const all = await store.list(place.repository.commonDir);
  return all
    .map((task) => shownTask(task, io.now()))
    .filter((task) => id === null || task.id === id)
    .filter((task) => state === null || task.state === state)
    .filter((task) => !stale || task.stale);
}

const LOOK_MS = 500;

/** Shows them again whenever something has changed, until it is interrupted. */
async function watch(
  desk: TaskDesk,
  filter: StatusFilter,
  io: Io,
): Promise<Result<Output, Failure>> {
  const signal = io.interruption();
  let shown = "";
  while (!signal.aborted) {
    const tasks = await chosen(desk, filter, io);
    const text = JSON.stringify({ tasks });
    if (text !== shown) {
      shown = text;
      if (io.json) await io.stdout.write(`${text}\n`);
      else await writeText(io.stdout, `${answer(tasks, io).human(styleOf(io.stdout))}\n`);
    }
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  return ok({ streamed: true });
}

function answer(tasks: readonly ShownTask[], io: Io): Said {
  return { document: { tasks }, human: (style) => table(tasks, style, io.now()) };
}

function table(tasks: readonly ShownTask[], style: Style, nowMs: number): string {
  if (tasks.length === 0) return "no tasks; begin one with: uncaged-workflow task spawn --help";
  const sign = (task: ShownTask): string =>
    ago(lastSign({ ...task, tokenSha256: "", revision: 0 }), nowMs);
  return renderTable<ShownTask>(
    tasks,
    [
      { title: "TASK", cell: ({ id }) => id, least: 12 },
      {
        title: "STATE",
        cell: ({ state, stale }) => (stale ? `${state}, STALE` : state),
        paint: (text, task) => paint(style, task)(text),
      },
      { title: "ATTEMPT", cell: ({ attempt }) => String(attempt), align: "right", spare: true },
      { title: "BRANCH", cell: ({ branch }) => branch, least: 12, spare: true },
      { title: "HEARTBEAT", cell: sign },
      { title: "AGE", cell: ({ assignedAt }) => ago(assignedAt, nowMs) },
      {
        title: "PROGRESS",
        cell: ({ progress }) => (progress === null ? "-" : `${Math.round(progress * 100)} %`),
        align: "right",
        spare: true,
      },
      { title: "NOTE", cell: ({ note, description }) => printableLine(note ?? description, 200) },
    ],
    style.columns,
  );
}

const BOARD = ["ASSIGNED", "WORKING", "CONFLICTED", "IN_REVIEW", "APPROVED", "COMPLETED", "FAILED"];

type Row = { [state: string]: ShownTask | undefined };

function columns(tasks: readonly ShownTask[], style: Style): string {
  const piles = BOARD.map((state) => tasks.filter((task) => task.state === state));
  const height = Math.max(0, ...piles.map((pile) => pile.length));
  if (height === 0) return table([], style, 0);
  const rows = Array.from(
    { length: height },
    (_, at): Row => Object.fromEntries(BOARD.map((state, pile) => [state, piles[pile]?.[at]])),
  );
  return renderTable<Row>(
    rows,
    BOARD.map((state, at) => ({
      title: `${state} ${piles[at]?.length ?? 0}`,
      cell: (row) => (row[state] === undefined ? "" : cardOf(row[state])),
      least: 8,
      paint: (text, row) => (row[state] === undefined ? text : paint(style, row[state])(text)),
    })),
    style.columns,
  );
}

function cardOf({ id, stale, attempt }: ShownTask): string {
  return `${id}${attempt > 1 ? ` #${attempt}` : ""}${stale ? " !" : ""}`;
}

function paint(style: Style, { state, stale }: ShownTask): (text: string) => string {
  if (stale || state === "CONFLICTED") return style.yellow;
  if (state === "FAILED") return style.red;
  if (state === "COMPLETED" || state === "APPROVED") return style.green;
  return state === "IN_REVIEW" ? style.cyan : (text) => text;
}
