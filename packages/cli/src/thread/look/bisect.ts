/** Asks a program of the user's which states of a thread are good.
 *
 *  It is started without a shell, in the current directory, with this command's environment; with `--files` in a folder
 *  with the files that the step left, at the place where the step worked. The step is on its stdin as the JSON of
 *  `thread show`, and in UNCAGED_BISECT_* variables. Exit code 0 means good, 125 cannot tell,
 *  any other bad, as with `git bisect run`. */
import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import {
  type Bisection,
  type BisectStep,
  bisectThread,
  type Engine,
  findThread,
  restoreStep,
  stepContent,
  type Verdict,
} from "@uncaged/workflow-execute";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type ThreadRecord,
} from "@uncaged/workflow-protocol";
import { spawnCli } from "@uncaged/workflow-util-agent";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";
import { writeText } from "../../command/write-text.ts";
import { printableLine } from "../../terminal/printable.ts";
import { type Style, styleOf } from "../../terminal/style.ts";
import { memberName } from "../view/member-name.ts";

const CANNOT_TELL = 125;
/** Shells' exit codes begin here when a signal ended the program. */
const BY_SIGNAL = 128;

export async function bisect(
  opts: { good: string; bad: string | null; program: readonly string[]; files: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, opts.bad ?? opts.good, async (engine, bad) => {
    const good = opts.bad === null ? null : await findThread(engine, opts.good);
    if (good !== null && !good.ok) return good;
    const signal = io.interruption();
    const ask = async (step: BisectStep): Promise<Result<Verdict, Failure>> => {
      const content = await stepContent(engine.cas, step);
      const question = { step, content, thread: bad, program: opts.program, signal };
      if (!opts.files) return judge({ ...question, cwd: io.cwd }, io);
      return withFilesOf(engine, { thread: bad, step }, (cwd) => judge({ ...question, cwd }, io));
    };
    const found = await bisectThread(engine, { good: good?.value ?? null, bad }, ask);
    if (!found.ok) return found;
    return ok({ document: found.value, human: (style) => text(found.value, style) });
  });
}

/** Lends a folder with the files of a step, which is deleted afterwards. `USAGE`: the step has no record of them. */
async function withFilesOf<T>(
  engine: Pick<Engine, "cas" | "root">,
  { thread, step }: { thread: ThreadRecord; step: BisectStep },
  use: (cwd: string) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "uwf-bisect-")));
  try {
    const restored = await restoreStep(engine, thread, { round: step.round, folder });
    if (!restored.ok) return restored;
    const cwd = join(folder, relative(restored.value.workTree, step.cwd));
    return await use(cwd.startsWith(folder) && existsSync(cwd) ? cwd : folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Question = {
  cwd: string;
  step: BisectStep;
  content: string;
  thread: ThreadRecord;
  program: readonly string[];
  signal: AbortSignal;
};

async function judge(
  { cwd, step, content, thread, program, signal }: Question,
  io: Io,
): Promise<Result<Verdict, Failure>> {
  const [command = "", ...args] = program;
  const ran = await spawnCli(command, args, {
    cwd,
    tag: `bisect:${thread.threadId}`,
    stdin: `${JSON.stringify({ ...step, content })}\n`,
    inheritEnv: "all",
    hostEnv: io.env,
    env: {
      UNCAGED_BISECT_THREAD: thread.threadId,
      UNCAGED_BISECT_STEP: String(step.round),
      UNCAGED_BISECT_ROLE: step.role,
      UNCAGED_BISECT_STATE: step.stateHash,
      UNCAGED_BISECT_CWD: step.cwd,
    },
    signal,
  });
  if (!ran.ok) return ran;
  const { exitCode, stoppedBy } = ran.value;
  if (stoppedBy === "abort") {
    return err(failure("THREAD_ABORTED", "the search was stopped", "nothing was changed"));
  }
  const code = exitCode ?? BY_SIGNAL;
  const verdict = code === 0 ? "good" : code === CANNOT_TELL ? "skip" : "bad";
  const { dim } = styleOf(io.stderr);
  await writeText(
    io.stderr,
    `${dim(`#${step.round} ${memberName(step)}: ${verdict} (exit ${code})`)}\n`,
  );
  return ok(verdict);
}

const META_CHARS = 100;

function text(found: Bisection, style: Style): string {
  const { firstBad, undecided, asked, candidates, threadId } = found;
  const meta = printableLine(JSON.stringify(firstBad.meta), META_CHARS);
  const lines = [
    `${style.red(`#${firstBad.round} ${memberName(firstBad)}`)} is the first bad step of ${threadId}`,
    `  ${meta}`,
    ...undecided.map((step) =>
      style.yellow(`  or #${step.round} ${memberName(step)}, which could not be judged`),
    ),
    style.dim(`  ${count(asked, "run")} of the command for ${count(candidates, "step")}`),
    `see it with: uncaged-workflow cas show ${firstBad.stateHash}`,
    `continue before it with: uncaged-workflow thread fork ${threadId} --from-step ${firstBad.round - 1}`,
  ];
  return `${lines.join("\n")}\n`;
}
