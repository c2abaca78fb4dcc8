import {
  type AdapterFn,
  failure,
  type RoleMeta,
  type RoleResult,
  type StepScope,
  type ThreadContext,
  WorkflowError,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import type { z } from "zod";
import { playTurn, type Turn } from "./scripted-turn.ts";

/** The turns of each role, in the order in which the role runs. */
export type Scripts<M extends RoleMeta = RoleMeta> = {
  readonly [K in keyof M & string]?: readonly Turn<M[K]>[];
};

/** An adapter that runs every role from its script, turn by turn; each thread reads its script from the beginning.
 *  Rejects with `USAGE` when a role has no turn left: that is an error of the test, so no retry and no rule for
 *  failures may hide it. Rejects with `INVALID_OUTPUT` when a turn's meta does not match the role's schema. */
export function scripted<M extends RoleMeta = RoleMeta>(scripts: Scripts<M>): AdapterFn {
  const turns = new Map<string, readonly Turn[] | undefined>(Object.entries(scripts));
  const played = new Map<string, number>();
  const adapter =
    <T>(_prompt: string, schema: z.ZodType<T>) =>
    async (ctx: ThreadContext, runtime: WorkflowRuntime): Promise<RoleResult<T>> => {
      const { role } = runtime.step;
      const place = `${ctx.threadId} ${role}`;
      const at = played.get(place) ?? 0;
      played.set(place, at + 1);
      const turn = turns.get(role)?.[at];
      if (turn === undefined) throw usedUp(runtime.step, at);
      const { meta, childThread = null, ...said } = await playTurn(turn, ctx, runtime);
      const parsed = await schema.safeParseAsync(meta);
      if (!parsed.success) throw misfit(runtime.step, parsed.error);
      return { ...said, childThread, meta: parsed.data };
    };
  // It uses no tools.
  return Object.assign(adapter, { holdsPolicy: true } as const);
}

function usedUp({ role, round }: StepScope, turns: number): WorkflowError {
  const has =
    turns === 0 ? "has no scripted turn" : `has ${turns} scripted turn${turns === 1 ? "" : "s"}`;
  return new WorkflowError(
    failure(
      "USAGE",
      `role ${role} ${has} and was asked for another in round ${round}`,
      "add a turn to its script, or check why the table leads there again",
    ),
  );
}

function misfit({ role, round }: StepScope, error: z.ZodError): WorkflowError {
  const issues = error.issues.map(
    ({ path, message }) => `${["meta", ...path].map(String).join(".")}: ${message}`,
  );
  return new WorkflowError(
    failure(
      "INVALID_OUTPUT",
      `role ${role}, round ${round}: the scripted meta does not fit the role's schema: ${issues.join("; ")}`,
      "correct the script, or use an agent of your own to test what the workflow does with such a result",
    ),
    { cause: error },
  );
}
