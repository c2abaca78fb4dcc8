import { observedStatus } from "@uncaged/workflow-execute";
import type { ThreadRecord } from "@uncaged/workflow-protocol";
import type { Said } from "../../command/command.ts";
import type { Io } from "../../command/io.ts";
import type { Style } from "../../terminal/style.ts";
import { paintStatus } from "../view/paint-status.ts";

/** The state of a thread after a verb. */
export function steered(thread: ThreadRecord, { now }: Pick<Io, "now">): Said {
  const { threadId, workflow, bundleHash, head, stepCount, updatedAt } = thread;
  const seen = observedStatus(thread, now());
  // A gate that is closed while a step runs shuts behind it.
  const pausing =
    seen.status === "running" && thread.status === "running" && thread.signals.includes("pause");
  return {
    document: { threadId, workflow, bundleHash, ...seen, pausing, head, stepCount, updatedAt },
    human: (style) => sentence(style, { threadId, status: seen.status, pausing }),
  };
}

type Standing = Pick<ThreadRecord, "threadId" | "status"> & { pausing: boolean };

function sentence(style: Style, { threadId, status, pausing }: Standing): string {
  const rest = pausing ? "; it will pause after its current step" : "";
  return `${threadId} is ${paintStatus(style, status)}${rest}`;
}
