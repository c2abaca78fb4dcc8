import { moveStorage, type StorageMove } from "@uncaged/workflow-execute";
import { EXIT, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import { count } from "../command/count.ts";
import type { Io } from "../command/io.ts";
import { renderProblems } from "../command/render-check.ts";
import { warn } from "../command/warn.ts";
import { withProgress } from "../command/with-progress.ts";
import type { Style } from "../terminal/style.ts";

/** Moves every blob to the place where new ones will go from now on. Exit code 5 when some were damaged and left. */
export async function move(to: StorageMove["store"], io: Io): Promise<Result<Output, Failure>> {
  const root = storageRoot(io.env);
  const moved = await withProgress(io, "moving every blob", () => moveStorage(root, to));
  if (!moved.ok) return moved;
  const { notes, ...report } = moved.value;
  await warn(io, notes);
  const sound = report.problems.length === 0;
  return ok({
    document: { ok: sound, ...report },
    human: (style) => text(report, style),
    exitCode: sound ? EXIT.success : EXIT.storage,
  });
}

function text(report: Omit<StorageMove, "notes">, style: Style): string {
  const place = report.store === "packed" ? "rows of index.db" : "files in cas/";
  const long = report.tooLong === 0 ? "" : `; ${count(report.tooLong, "long one")} stay files`;
  const sentence = `${count(report.moved, "blob")} moved into ${place}${long}\n`;
  if (report.problems.length === 0) return sentence;
  const left = `${style.red("not ok")}: ${count(report.problems.length, "damaged blob")} left in place\n`;
  return `${renderProblems(report.problems, style)}\n${sentence}${left}`;
}
