/** People who play roles, from a script: what each answers, in order. */
import { pickRoute } from "@uncaged/workflow-moderator";
import {
  agentError,
  type CasStore,
  failure,
  type RoleMeta,
  type RoleStep,
  type StepGroup,
  type ThreadContext,
  type WorkflowDefinition,
  type WorkflowDescriptor,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { buildDescriptor } from "@uncaged/workflow-runtime";
import type { z } from "zod";
import { keepOutput } from "./keep-output.ts";

/** What each person answers, in order; `"timeout"`: nobody answers in time. */
export type People<M extends RoleMeta = RoleMeta> = {
  readonly [K in keyof M & string]?: readonly (M[K] | "timeout")[];
};

type Answer = Record<string, unknown> | "timeout";

export type ScriptedPeople = {
  forms: ReadonlyMap<string, z.ZodType<Record<string, unknown>>>;
  /** The table; asked for only when somebody is late. */
  edges: () => WorkflowDescriptor["graph"]["edges"];
  /** Those not used yet, by role; each is removed when it is used. */
  turns: ReadonlyMap<string, Answer[]>;
};

export function scriptedPeople<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
  people: People<M>,
): ScriptedPeople {
  const given = new Map<string, readonly Answer[] | undefined>(Object.entries(people));
  const roles = new Map<string, { schema: z.ZodType<Record<string, unknown>> }>(
    Object.entries(definition.roles),
  );
  return {
    forms: new Map(Array.from(roles, ([role, { schema }]) => [role, schema])),
    edges: () => buildDescriptor(definition).graph.edges,
    turns: new Map(Array.from(given, ([role, all = []]) => [role, [...all]])),
  };
}

/** `group`: of a member; its failure is its group's matter. */
type At = { cas: CasStore; ctx: ThreadContext; group?: StepGroup };

/** The step that a person makes next, as the engine would record it; null: there is no answer left. Rejects with
 *  `INVALID_OUTPUT` for an answer that does not fit the role's form, with `AGENT_TIMEOUT` when nobody answers and no rule
 *  is for that. */
export async function personStep(
  { forms, edges, turns }: ScriptedPeople,
  role: string,
  { cas, ctx, group }: At,
): Promise<RoleStep | null> {
  const place = group === undefined ? {} : { group };
  const answer = turns.get(role)?.shift();
  if (answer === undefined) return null;
  const round = ctx.steps.length + 1;
  if (answer === "timeout") {
    const reason = `nobody answered for role ${role}`;
    const output = {
      role,
      meta: { outcome: "timeout", reason },
      content: reason,
      outcome: "timeout",
    } as const;
    const step = { ...(await keepOutput(cas, output, round)), ...place };
    if (group !== undefined) return step;
    const { matched } = await pickRoute(edges(), { ...ctx, steps: [...ctx.steps, step] });
    if (matched !== null) return step;
    throw agentError("timeout", {
      message: reason,
      hint: "give the table a rule for it",
      run: null,
    });
  }
  const parsed = await forms.get(role)?.safeParseAsync(answer);
  if (parsed?.success === true)
    return { ...(await keepOutput(cas, { role, meta: parsed.data }, round)), ...place };
  const why = parsed?.error.issues.map(
    ({ path, message }) => `${path.map(String).join(".")}: ${message}`,
  );
  throw new WorkflowError(
    failure(
      "INVALID_OUTPUT",
      `role ${role}, round ${round}: the answer does not fit the role's form: ${why?.join("; ")}`,
      "correct the answer in `people`",
    ),
  );
}
