import { MERGED_AT_ONCE, mergeCheck } from "@uncaged/workflow-host";
import { exitCodeOf, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { TaskDefaults } from "@uncaged/workflow-register";
import {
  type Landed,
  type Merge,
  mergeAll,
  mergeTask,
  type TaskDesk,
} from "@uncaged/workflow-tasks";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { demandRoot } from "../command/step-store.ts";
import { printable } from "../terminal/printable.ts";
import { said, shownTask } from "./shown-task.ts";
import { withDesk } from "./with-desk.ts";

export type MergeOptions = {
  id: string | null;
  all: boolean;
  deleteBranch: boolean;
  /** A shell command; null: `config.mergeCheck`. */
  check: string | null;
  /** null: the usual. */
  atOnce: number | null;
};

export async function merge(given: MergeOptions, io: Io): Promise<Result<Output, Failure>> {
  demandRoot(io);
  if (given.all) return queue(given, io);
  const merged = await withDesk(io, null, (desk, defaults) =>
    mergeTask(desk, given.id, mergeWith(desk, { given, defaults, io })),
  );
  return said(
    merged,
    io.now(),
    ({ id, integration, merged: commit }) =>
      `${id} is COMPLETED: ${integration} has it with ${commit}`,
  );
}

async function queue(given: MergeOptions, io: Io): Promise<Result<Output, Failure>> {
  const landed = await withDesk(io, null, (desk, defaults) =>
    mergeAll(desk, mergeWith(desk, { given, defaults, io })),
  );
  if (!landed.ok) return landed;
  const left = landed.value.find(({ outcome }) => outcome === "left");
  const back = landed.value.find(({ outcome }) => outcome !== "merged");
  const worst = left ?? back;
  return ok({
    document: { tasks: landed.value.map((each) => shownLanded(each, io.now())) },
    human: () =>
      landed.value.length === 0 ? "no task is approved" : landed.value.map(line).join("\n"),
    ...(worst === undefined || worst.outcome === "merged"
      ? {}
      : { exitCode: exitCodeOf(worst.reason.code) }),
  });
}

type Given = { given: MergeOptions; defaults: TaskDefaults; io: Io };

function mergeWith(desk: TaskDesk, { given, defaults, io }: Given): Merge {
  const command = given.check ?? defaults.mergeCheck;
  if (command === null) desk.say("no check: what is merged is not proved; see --check");
  const { deleteBranch, atOnce } = given;
  const check = command === null ? null : mergeCheck(desk, command, storageRoot(io.env));
  return { deleteBranch, atOnce: atOnce ?? MERGED_AT_ONCE, check };
}

function shownLanded(landed: Landed, nowMs: number): object {
  const task = shownTask(landed.task, nowMs);
  if (landed.outcome === "merged") return { task, outcome: landed.outcome };
  return { task, outcome: landed.outcome, reason: landed.reason };
}

function line(landed: Landed): string {
  const { id } = landed.task;
  if (landed.outcome === "merged") return `${id} is COMPLETED`;
  const where = landed.outcome === "left" ? "was left as it is" : "is WORKING again";
  return `${id} ${where}: ${printable(landed.reason.message)}`;
}
