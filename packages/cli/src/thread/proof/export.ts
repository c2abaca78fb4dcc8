import { resolve } from "node:path";
import { exportThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import type { ThreadChoice } from "../several/choose-threads.ts";
import { type Act, serveThreads } from "../several/serve-threads.ts";

/** `out`: the file; for several threads, the folder for their files. */
export async function exportChosen(
  { choice, out, withFiles }: { choice: ThreadChoice; out: string | null; withFiles: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  const act: Act = async (engine, thread) => {
    const usual = `${thread.threadId}.thread.tar`;
    const file =
      choice.kind === "one" ? resolve(io.cwd, out ?? usual) : resolve(io.cwd, out ?? "", usual);
    const exported = await exportThread(engine, thread, { file, withFiles });
    if (!exported.ok) return exported;
    const { nodes, bytes, threads } = exported.value;
    return ok({
      document: exported.value,
      human: ({ dim }) =>
        `${file}\n${dim(`${count(threads.length, "thread")}, ${count(nodes, "node")}, ${count(bytes, "byte")}`)}`,
    });
  };
  return serveThreads(choice, { word: "export", children: "with their parent", act }, io);
}
