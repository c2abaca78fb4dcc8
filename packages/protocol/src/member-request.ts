import type { StepGroup } from "./group.ts";
import type { AgentCall, StepRequest } from "./workflow-runtime.ts";

/** The step that a member of a group enters. Its round is the one it has if the members finish in declared order. */
export function memberRequest(call: AgentCall, place: StepGroup): StepRequest {
  const { role, route = null, location = null, agent = null, rules, item = null } = call;
  const { previousSession, workspace } = call;
  return {
    role,
    round: place.entry + place.index + 1,
    route,
    location,
    previousSession: previousSession?.() ?? null,
    rules,
    agent,
    ...(workspace === undefined ? {} : { workspace }),
    group: { ...place, item, session: previousSession === undefined ? "own" : "role" },
  };
}
