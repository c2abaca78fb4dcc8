import { observedStatus } from "@uncaged/workflow-execute";
import type { ThreadStanding } from "@uncaged/workflow-gateway/contract";
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import type { Said } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import type { Style } from "../../terminal/style.ts";
import { paintStatus } from "../view/paint-status.ts";

/** The state of a thread after a verb. */
export function steered(thread: ThreadRecord, { now }: Pick<Io, "now">): Said {
  const document = standing(thread, now());
  return { document, human: (style) => sentence(style, document) };
}

export function standing(thread: ThreadRecord, nowMs: number): ThreadStanding {
  const { threadId, workflow, bundleHash, head, stepCount, updatedAt } = thread;
  const seen = observedStatus(thread, nowMs);
  // A gate that is closed while a step runs shuts behind it.
  const pausing =
    seen.status === "running" && thread.status === "running" && thread.signals.includes("pause");
  return { threadId, workflow, bundleHash, ...seen, pausing, head, stepCount, updatedAt };
}

function sentence(style: Style, { threadId, status, pausing }: ThreadStanding): string {
  const rest = pausing ? "; it will pause after its current step" : "";
  return `${threadId} is ${paintStatus(style, status)}${rest}`;
}
