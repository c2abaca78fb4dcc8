import { type Failure, ok, type Result, type ThreadLabels } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";

/** Without changes it only shows them. */
export async function label(
  { id, ...changes }: { id: string; set: ThreadLabels; unset: readonly string[] },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, id, async ({ store }, { threadId }) => {
    const labels = await store.label({ threadId, ...changes });
    const words = Object.entries(labels).map(([key, value]) => (value ? `${key}=${value}` : key));
    return ok({
      document: { threadId, labels },
      human: ({ dim }) => (words.length === 0 ? dim("no labels") : words.join("\n")),
    });
  });
}
