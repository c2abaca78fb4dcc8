import type { Engine } from "@uncaged/workflow-execute";
import { type Follow, followThread } from "@uncaged/workflow-execute";
import type { LiveItem } from "@uncaged/workflow-protocol";
import type { Sink } from "../../command/io.ts";
import { writeText } from "../../command/write-text.ts";

export type StatusItem = Extract<LiveItem, { type: "status" }>;

/** Writes a thread's events until it stops running. Returns the final status in its log, without writing it: the
 *  caller reports the thread's status. null: the log ends with something else. */
export async function showLive(
  { engine, threadId }: { engine: Engine; threadId: string },
  opts: Follow & {
    /** Only this role's events; null: all. */
    role: string | null;
    write: (item: LiveItem) => string;
    to: Sink;
  },
): Promise<StatusItem | null> {
  const { role, write, to } = opts;
  let status: StatusItem | null = null;
  const show = async (item: LiveItem): Promise<void> => {
    const text = write(item);
    // Awaited: a slow terminal slows the reading of the log, not the thread.
    if (text !== "") await writeText(to, text);
  };
  for await (const item of followThread(engine, threadId, opts)) {
    if (role !== null && "role" in item && item.role !== role) continue;
    if (status !== null) await show(status);
    status = item.type === "status" ? item : null;
    if (status === null) await show(item);
  }
  return status;
}
