import { checkStorage } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { checkOutput } from "../render-check.ts";
import { withEngine } from "../with-engine.ts";
import { withProgress } from "../with-progress.ts";

export async function check(io: Io): Promise<Result<Output, Failure>> {
  const report = await withEngine(io, (engine) =>
    withProgress(io, "checking every blob", () => checkStorage(engine)),
  );
  return ok(checkOutput(report, "blob"));
}
