import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { checkOutput } from "../render-check.ts";
import { withThread } from "../with-engine.ts";

export async function verify(id: string, io: Io): Promise<Result<Output, Failure>> {
  return withThread(io, id, async ({ engine, verbs, thread }) =>
    ok(checkOutput(await verbs.verifyThread(engine, thread), "node")),
  );
}
