import { checkStorage } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { checkOutput } from "../render-check.ts";
import { withEngine } from "../with-engine.ts";

export async function check(io: Io): Promise<Result<Output, Failure>> {
  const report = await withEngine(io, checkStorage);
  return ok(checkOutput(report, "blob"));
}
