import { setTimeout as sleep } from "node:timers/promises";
import {
  type ErrorCode,
  failure,
  type RoleResult,
  type ThreadContext,
  WorkflowError,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";

/** One turn of a scripted role: its meta, or a turn made by `says`, `fails`, `after` or `answers`. */
export type Turn<Meta = Record<string, unknown>> = Meta | ScriptedTurn;

/** What an agent returned; its meta is not checked yet. */
export type Said = Omit<RoleResult<unknown>, "childThread"> & { childThread?: string | null };

type Play = (ctx: ThreadContext, runtime: WorkflowRuntime) => Promise<Said>;

/** A turn that is more than a meta. */
export class ScriptedTurn {
  readonly play: Play;

  constructor(play: Play) {
    this.play = play;
  }
}

/** A meta together with what the agent said, its child thread or its run record. */
export function says(meta: Record<string, unknown>, more: Omit<Said, "meta"> = {}): ScriptedTurn {
  return new ScriptedTurn(async () => ({ ...more, meta }));
}

/** The agent breaks: the run ends with this failure. */
export function fails(message: string, code: ErrorCode = "AGENT_FAILED"): ScriptedTurn {
  return new ScriptedTurn(async () => {
    throw new WorkflowError(failure(code, message, ""));
  });
}

/** The turn comes after a delay, which an abort ends. */
export function after(delayMs: number, turn: Turn): ScriptedTurn {
  return new ScriptedTurn(async (ctx, runtime) => {
    await sleep(delayMs, undefined, { signal: runtime.signal });
    return playTurn(turn, ctx, runtime);
  });
}

/** The meta is computed from what the role sees: the steps so far, its edge prompt. */
export function answers(
  meta: (ctx: ThreadContext, runtime: WorkflowRuntime) => Record<string, unknown>,
): ScriptedTurn {
  return new ScriptedTurn(async (ctx, runtime) => ({ meta: meta(ctx, runtime) }));
}

export async function playTurn(
  turn: Turn,
  ctx: ThreadContext,
  runtime: WorkflowRuntime,
): Promise<Said> {
  return turn instanceof ScriptedTurn ? turn.play(ctx, runtime) : { meta: turn };
}
