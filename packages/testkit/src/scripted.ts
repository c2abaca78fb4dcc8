/** Agents that say what a test wants them to say. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AdapterFn,
  type ErrorCode,
  failure,
  type RoleMeta,
  type RoleResult,
  type ThreadContext,
  WorkflowError,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { z } from "zod";

/** One turn of a scripted role: its meta, or a turn made by `says`, `fails`, `after` or `answers`. */
export type Turn<Meta = Record<string, unknown>> = Meta | ScriptedTurn;

/** The turns of each role, in the order in which the role is played. */
export type Scripts<M extends RoleMeta = RoleMeta> = {
  readonly [K in keyof M & string]?: readonly Turn<M[K]>[];
};

/** A turn that is more than a meta. */
export class ScriptedTurn {
  readonly play: (ctx: ThreadContext, runtime: WorkflowRuntime) => Promise<Said>;

  constructor(play: ScriptedTurn["play"]) {
    this.play = play;
  }
}

type Said = Omit<RoleResult<unknown>, "childThread"> & { childThread?: string | null };

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

/** The turn comes after a wait, which an abort ends. */
export function after(delayMs: number, turn: Turn): ScriptedTurn {
  return new ScriptedTurn(async (ctx, runtime) => {
    await sleep(delayMs, undefined, { signal: runtime.signal });
    return said(turn, ctx, runtime);
  });
}

/** The meta is computed from what the role sees: the steps so far, its edge prompt. */
export function answers(
  meta: (ctx: ThreadContext, runtime: WorkflowRuntime) => Record<string, unknown>,
): ScriptedTurn {
  return new ScriptedTurn(async (ctx, runtime) => ({ meta: meta(ctx, runtime) }));
}

/** An adapter that plays every role from its script, turn by turn; each thread reads its script from the
 *  beginning. A role whose script is missing or used up fails with `AGENT_FAILED` and says so. */
export function scripted<M extends RoleMeta = RoleMeta>(scripts: Scripts<M>): AdapterFn {
  const turns = new Map<string, readonly Turn[] | undefined>(Object.entries(scripts));
  const played = new Map<string, number>();
  return <T>(_prompt: string, schema: z.ZodType<T>) =>
    async (ctx: ThreadContext, runtime: WorkflowRuntime): Promise<RoleResult<T>> => {
      const { role } = runtime.step;
      const key = `${ctx.threadId} ${role}`;
      const at = played.get(key) ?? 0;
      played.set(key, at + 1);
      const turn = turns.get(role)?.[at];
      if (turn === undefined) throw usedUp(role, at, runtime.step.round);
      const { meta, childThread = null, ...rest } = await said(turn, ctx, runtime);
      return { ...rest, childThread, meta: schema.parse(meta) };
    };
}

async function said(turn: Turn, ctx: ThreadContext, runtime: WorkflowRuntime): Promise<Said> {
  return turn instanceof ScriptedTurn ? turn.play(ctx, runtime) : { meta: turn };
}

function usedUp(role: string, turns: number, round: number): WorkflowError {
  const has = turns === 0 ? "has no script" : `has ${turns} scripted turn${turns === 1 ? "" : "s"}`;
  return new WorkflowError(
    failure(
      "AGENT_FAILED",
      `role ${role} ${has} and was asked for another in round ${round}`,
      "add a turn to its script, or look why the table leads there once more",
    ),
  );
}
