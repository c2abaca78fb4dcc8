import type { ThreadRecord } from "@uncaged/workflow-protocol";
import { promptHash } from "../chain/chain.ts";
import { readNode } from "../chain/read-node.ts";
import type { Engine } from "../storage/engine.ts";
import { entry, shownRole, startHeader } from "./context-text.ts";
import { contextWaiting, waitingText } from "./context-waiting.ts";

const TASK_CHARS = 2_000;

/** What everybody who works for a thread must know, in a few lines: where the thread stands, who runs in which step,
 *  what is pending, and its task. `role` null: the reader is no particular role. Reads three nodes, however long the
 *  thread. */
export async function contextBrief(
  { cas }: Pick<Engine, "cas">,
  thread: ThreadRecord,
  role: string | null,
): Promise<string> {
  const { workflow, stepCount, head, startHash, startedAt, threadId } = thread;
  const start = await readNode(cas, startHash, "start");
  const hash = promptHash(start);
  const { payload: task } = await readNode(cas, hash, "content");
  const last =
    stepCount === 0 ? null : shownRole((await readNode(cas, head, "state")).payload.role);
  const stands =
    last === null
      ? "No step is made yet"
      : `Its last step is #${stepCount}${last.startsWith("__") ? "" : `, by the role ${last}`}`;
  const who =
    role === null ? "" : `You play the role ${shownRole(role)} in step ${stepCount + 1}. `;
  const whole = `uncaged-workflow cas get --payload ${hash}`;
  const waits = { room: TASK_CHARS, whole: `uncaged-workflow thread show ${threadId}` };
  return [
    `${who}${stands}. The workflow is ${shownRole(workflow)}.`,
    entry(startHeader(startedAt), task, { room: TASK_CHARS, whole }).text,
    ...contextWaiting(thread).map((each) => waitingText(each, waits)),
  ].join("\n\n");
}
