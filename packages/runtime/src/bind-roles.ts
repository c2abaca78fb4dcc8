import {
  type AdapterBinding,
  type AdapterFn,
  failure,
  type RoleDefinition,
  type RoleMeta,
  type RoleOutput,
  type StepRun,
  type ThreadContext,
  type WorkflowDefinition,
  WorkflowError,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { demandHeld } from "./demand-held.ts";
import { keysOf } from "./keys-of.ts";
import { parseMeta } from "./parse-meta.ts";

/** Plays the role of the runtime's step once and gives what the engine is to store. */
export type PlayRole = (ctx: ThreadContext, runtime: WorkflowRuntime) => Promise<RoleOutput>;

/** Ties each role to its agent: the role's own override, else the binding's adapter. */
export function bindRoles<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
  binding: AdapterBinding<M>,
): PlayRole {
  const overrides = new Map<string, AdapterFn | undefined>(Object.entries(binding.overrides ?? {}));
  const players = new Map<string, PlayRole>();
  for (const role of keysOf(definition.roles)) {
    players.set(role, player(definition.roles[role], overrides.get(role) ?? binding.adapter));
  }
  return (ctx, runtime) => {
    const play = players.get(runtime.step.role);
    if (play === undefined) throw unknownRole(runtime.step.role);
    return play(ctx, runtime);
  };
}

function player<Meta extends Record<string, unknown>>(
  role: RoleDefinition<Meta>,
  adapter: AdapterFn,
): PlayRole {
  return async (ctx, runtime) => {
    // Bound when it plays, not before: an adapter may look for its program or its key first.
    const { agent } = runtime.step;
    const playing = agent === null ? adapter : await runtime.agent(agent);
    demandHeld(playing, runtime.step);
    const result = await playing(role.systemPrompt, role.schema)(ctx, runtime);
    const meta = await parseMeta(role.schema, result.meta, runtime.step);
    return {
      role: runtime.step.role,
      meta,
      content: result.content ?? JSON.stringify(meta),
      refs: role.extractRefs === null ? [] : role.extractRefs(meta),
      childThread: result.childThread,
      route: runtime.step.route,
      run: recordOf(result.run, agent),
    };
  };
}

/** Says in the record by which name the agent was called, if it played in place of the bound one. */
function recordOf(run: StepRun | undefined, agent: string | null): StepRun | null {
  if (run === undefined) return null;
  return agent === null ? run : { ...run, agent: { ...run.agent, binding: agent } };
}

function unknownRole(role: string): WorkflowError {
  return new WorkflowError(
    failure("INTERNAL", `the moderator named a role that has no definition: ${role}`, ""),
  );
}
