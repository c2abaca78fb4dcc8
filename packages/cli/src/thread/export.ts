import { resolve } from "node:path";
import { exportThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import { count } from "../count.ts";
import type { Io } from "../io.ts";
import { withThread } from "../with-engine.ts";

export async function exportOne(
  what: { id: string; out: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, what.id, async (engine, thread) => {
    const file = resolve(io.cwd, what.out ?? `${thread.threadId}.thread.tar`);
    const exported = await exportThread(engine, thread, { file });
    if (!exported.ok) return exported;
    const { nodes, bytes, threads } = exported.value;
    return ok({
      document: exported.value,
      human: ({ dim }) =>
        `${file}\n${dim(`${count(threads.length, "thread")}, ${count(nodes, "node")}, ${count(bytes, "byte")}`)}`,
    });
  });
}
