import { recoverThreads } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { withProgress } from "../../command/with-progress.ts";

export async function recover(io: Io): Promise<Result<Output, Failure>> {
  const root = storageRoot(io.env);
  const report = await withProgress(io, "looking for threads that the index lost", () =>
    recoverThreads({ root, packagesBase: import.meta.url, cwd: io.cwd }),
  );
  const { ended, atRest, gone } = report;
  return ok({
    document: report,
    human: ({ dim }) =>
      [
        `${count(ended.length, "thread")} that had ended, ${atRest.length} that had not`,
        ...atRest.map((id) => `${id} ${dim("a new id; continue with: thread resume")}`),
        ...gone.map((id) => `${id} ${dim("ended; its blobs are gone")}`),
      ].join("\n"),
  });
}
