import { type ExecReport, execThread } from "@uncaged/workflow-execute";
import { EXIT, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import type { Style } from "../style.ts";
import { withThread } from "../with-engine.ts";
import { paintStatus } from "./paint-status.ts";
import { renderStep } from "./render-step.ts";

/** Runs steps in this process; of a thread that ends, the exit code is its return code. Ctrl-C stops the step that runs; the thread stays idle before it. */
export async function execSteps(
  opts: { id: string; count: number },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, opts.id, async (engine, thread) => {
    const signal = io.interruption();
    io.hostBundle(io.json ? "nowhere" : "to stderr");
    const executed = await execThread(engine, thread, { count: opts.count, signal });
    if (!executed.ok) return executed;
    const report = executed.value;
    return ok({
      document: report,
      human: (style) => text(report, { style, stopped: signal.aborted }),
      exitCode: signal.aborted ? EXIT.aborted : (report.result?.returnCode ?? EXIT.success),
    });
  });
}

function text(report: ExecReport, { style, stopped }: { style: Style; stopped: boolean }): string {
  const steps = report.steps.map((step) => renderStep(step, style));
  const status = `${report.threadId} is ${paintStatus(style, report.status)}`;
  const next = report.nextRole === null ? "" : `; next: ${report.nextRole}`;
  const note = stopped ? "stopped; the step that ran was not kept\n" : "";
  return `${[...steps, note].filter((part) => part !== "").join("\n")}${status}${next}\n`;
}
