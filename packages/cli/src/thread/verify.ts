import { verifyThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { checkOutput } from "../render-check.ts";
import { withThread } from "../with-engine.ts";

export async function verify(id: string, io: Io): Promise<Result<Output, Failure>> {
  return withThread(io, id, async (engine, thread) =>
    ok(checkOutput(await verifyThread(engine, thread), "node")),
  );
}
