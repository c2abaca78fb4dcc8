/** Asks a program of the user's which states of a thread are good.
 *
 *  It is started without a shell, in the current directory, with this command's environment. The step is on its
 *  stdin as the JSON of `thread show`, and in UNCAGED_BISECT_* variables. Exit code 0 means good, 125 cannot tell,
 *  any other bad, as with `git bisect run`. */
import {
  type Bisection,
  type BisectStep,
  bisectThread,
  findThread,
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
  opts: { good: string; bad: string | null; program: readonly string[] },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, opts.bad ?? opts.good, async (engine, bad) => {
    const good = opts.bad === null ? null : await findThread(engine, opts.good);
    if (good !== null && !good.ok) return good;
    const signal = io.interruption();
    const ask = async (step: BisectStep): Promise<Result<Verdict, Failure>> => {
      const content = await stepContent(engine.cas, step);
      return judge({ step, content, thread: bad, program: opts.program, signal }, io);
    };
    const found = await bisectThread(engine, { good: good?.value ?? null, bad }, ask);
    if (!found.ok) return found;
    return ok({ document: found.value, human: (style) => text(found.value, style) });
  });
}

type Question = {
  step: BisectStep;
  content: string;
  thread: ThreadRecord;
  program: readonly string[];
  signal: AbortSignal;
};

async function judge(
  { step, content, thread, program, signal }: Question,
  io: Io,
): Promise<Result<Verdict, Failure>> {
  const [command = "", ...args] = program;
  const ran = await spawnCli(command, args, {
    cwd: io.cwd,
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
