import { type ExecReport, execThread, startTelemetry } from "@uncaged/workflow-execute";
import { EXIT, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { warn } from "../../command/warn.ts";
import { withThread } from "../../command/with-engine.ts";
import type { Style } from "../../terminal/style.ts";
import { paintStatus } from "../view/paint-status.ts";
import { renderStep } from "../view/render-step.ts";

/** Runs steps in this process; if the thread ends, the exit code is its return code. Ctrl-C stops the running step;
 *  the thread stays idle before it. */
export async function execSteps(
  opts: { id: string; count: number },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, opts.id, async (engine, thread) => {
    const signal = io.interruption();
    io.hostBundle(io.json ? "nowhere" : "to stderr");
    const telemetry = await startTelemetry(engine, {
      env: io.env,
      say: (line) => void warn(io, [line]),
    });
    const executed = await execThread(telemetry.engine, thread, { count: opts.count, signal });
    await telemetry.flush();
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
