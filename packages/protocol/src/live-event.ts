import type { AgentEvent } from "./agent-event.ts";
import type { StepGroup } from "./group.ts";
import type { Usage } from "./step-run.ts";
import type { ThreadStatus } from "./thread-status.ts";

/** What happens to a thread, in the one stream that every front end reads. */
export type LiveEvent = {
  threadId: string /** Unix milliseconds. */;
  timestamp: number;
} & (
  | {
      type: "step_started";
      role: string;
      round: number;
      /** Left out by a step that is no member of a group. */
      group?: StepGroup;
      condition: string | null;
      /** What a person told the role in place of the table's prompt, such as an answer; null: the table led here. */
      said: string | null;
    }
  | { type: "agent"; role: string; round: number; group?: StepGroup; event: AgentEvent }
  | {
      type: "step_completed";
      role: string;
      round: number;
      group?: StepGroup;
      stateHash: string;
      meta: Record<string, unknown>;
    }
  /** A person is asked while agents run: to play a member of their group, or to allow what one of them wants to do. */
  | { type: "asked"; role: string; group?: StepGroup; message: string }
  /** What one of the engine's own models said, or why it could not; `usage`: its cost, if the model was called. Or how a
   *  worker of the running step has ended. */
  | {
      type: "note";
      about: "supervisor" | "summarizer" | "worker";
      message: string;
      usage: Usage | null;
    }
  /** `summary`: how the thread ended, or what it asks. */
  | { type: "status"; status: ThreadStatus; summary: string | null }
);
