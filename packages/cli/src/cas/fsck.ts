import { checkStorage } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { checkOutput } from "../command/render-check.ts";
import { withEngine } from "../command/with-engine.ts";
import { withProgress } from "../command/with-progress.ts";

export async function check(io: Io): Promise<Result<Output, Failure>> {
  const report = await withEngine(io, (engine) =>
    withProgress(io, "checking every blob", () => checkStorage(engine)),
  );
  return ok(checkOutput(report, "blob"));
}
