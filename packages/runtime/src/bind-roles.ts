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

/** Runs the role of the runtime's step once and returns what the engine has to store. */
export type RunRole = (ctx: ThreadContext, runtime: WorkflowRuntime) => Promise<RoleOutput>;

/** Binds each role to its agent: the role's own override, else the binding's adapter. */
export function bindRoles<M extends RoleMeta>(
  definition: WorkflowDefinition<M>,
  binding: AdapterBinding<M>,
): RunRole {
  const overrides = new Map<string, AdapterFn | undefined>(Object.entries(binding.overrides ?? {}));
  const runners = new Map<string, RunRole>();
  for (const role of keysOf(definition.roles)) {
    runners.set(role, roleRunner(definition.roles[role], overrides.get(role) ?? binding.adapter));
  }
  return (ctx, runtime) => {
    const runRole = runners.get(runtime.step.role);
    if (runRole === undefined) throw unknownRole(runtime.step.role);
    return runRole(ctx, runtime);
  };
}

function roleRunner<Meta extends Record<string, unknown>>(
  role: RoleDefinition<Meta>,
  adapter: AdapterFn,
): RunRole {
  return async (ctx, runtime) => {
    // Bound only when the role runs: an adapter may look for its program or its key first.
    const { agent } = runtime.step;
    const bound = agent === null ? adapter : await runtime.agent(agent);
    demandHeld(bound, runtime.step);
    const result = await bound(role.systemPrompt, role.schema)(ctx, runtime);
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

/** Records the agent's name in `config.agents` if it ran in place of the bound one. */
function recordOf(run: StepRun | undefined, agent: string | null): StepRun | null {
  if (run === undefined) return null;
  return agent === null ? run : { ...run, agent: { ...run.agent, binding: agent } };
}

function unknownRole(role: string): WorkflowError {
  return new WorkflowError(
    failure("INTERNAL", `the moderator named a role that has no definition: ${role}`, ""),
  );
}
