import {
  type DiffedThread,
  type DiffRound,
  diffThreads,
  findThread,
  type ThreadDiff,
} from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";
import { printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { fileLine } from "../view/file-line.ts";
import { flowLines } from "../view/flow-lines.ts";
import { memberName } from "../view/member-name.ts";
import { money } from "../view/spent.ts";

export async function diff(
  ids: { a: string; b: string },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, ids.a, async (engine, a) => {
    const b = await findThread(engine, ids.b);
    if (!b.ok) return b;
    const document = await diffThreads(engine, a, b.value);
    return ok({ document, human: (style) => text(document, style) });
  });
}

const VALUE_CHARS = 60;

function text({ a, b, partsAt, rounds, files }: ThreadDiff, style: Style): string {
  const head = [
    ...sideLines("-", a, style).map(style.red),
    ...sideLines("+", b, style).map(style.green),
  ].join("\n");
  const shared = rounds.filter(({ relation }) => relation === "shared").length;
  const lines = rounds.slice(shared).map((round) => roundText(round, style));
  const same =
    shared === 0 ? "" : style.dim(`  ${shared} shared ${shared === 1 ? "step" : "steps"}\n`);
  const verdict =
    partsAt === null ? "same roles and metas throughout\n" : `they diverge at step ${partsAt}\n`;
  return `${head}\n${same}${lines.join("")}${verdict}${filesText(files, style)}`;
}

const SHOWN_FILES = 50;

/** What the second thread's files are, compared with those of the first. */
function filesText(files: ThreadDiff["files"], style: Style): string {
  if (files === null) return "";
  const { changes, fault } = files;
  if (changes === null) return style.yellow(`files: ${printableLine(fault ?? "", 200)}\n`);
  if (changes.length === 0) return "the files are the same\n";
  const more = changes.length - SHOWN_FILES;
  return [
    `${count(changes.length, "file")} differ${changes.length === 1 ? "s" : ""}\n`,
    ...changes.slice(0, SHOWN_FILES).map((change) => `${fileLine(change, style)}\n`),
    more > 0 ? style.dim(`and ${more} more; all with --json\n`) : "",
  ].join("");
}

function sideLines(
  mark: "-" | "+",
  { threadId, status, usage }: DiffedThread,
  { columns }: Style,
): string[] {
  return flowLines([`${mark} ${threadId}`, status, ...money(usage)], { indent: 0, columns });
}

function roundText({ round, relation, a, b, changes }: DiffRound, style: Style): string {
  const [ofA, ofB] = [a, b].map((side) => (side === null ? "" : memberName(side)));
  if (relation !== "differs") return style.dim(`  #${round} ${ofA} (${relation})\n`);
  if (a === null || b === null || a.role !== b.role) {
    const gone = a === null ? "" : style.red(`- #${round} ${ofA}\n`);
    const come = b === null ? "" : style.green(`+ #${round} ${ofB}\n`);
    return `${gone}${come}`;
  }
  const fields = changes.flatMap((change) => [
    ...(change.a === undefined ? [] : [style.red(`-   ${change.path}: ${value(change.a)}\n`)]),
    ...(change.b === undefined ? [] : [style.green(`+   ${change.path}: ${value(change.b)}\n`)]),
  ]);
  return `  #${round} ${ofA}\n${fields.join("")}`;
}

function value(json: unknown): string {
  return printableLine(JSON.stringify(json), VALUE_CHARS);
}
