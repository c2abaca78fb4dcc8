/** What a person says to the next role, in place of the edge's prompt.
 *
 *  1. The table still decides which role that is; only the words are a person's, and the route says so.
 *  2. Where the table asks a person, the words are the answer. */
import { fillTemplate, openGroup, pickRoute, policyOf } from "@uncaged/workflow-moderator";
import {
  type DescriptorEdge,
  END,
  type Failure,
  failure,
  type StepDirective,
  type StepGroup,
  SUSPEND,
  type ThreadContext,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { answerDirective } from "../chain/answer-directive.ts";
import { type Chain, roleStates } from "../chain/chain.ts";

/** null: the table ends the thread here, so there is no next role. Rejects as `pickRoute` does, and with
 *  `TRANSITION_INVALID` where members of a group are next. */
export async function nextPromptDirective(
  edges: readonly DescriptorEdge[],
  at: { chain: Chain; context: ThreadContext },
  text: string,
): Promise<StepDirective | null> {
  const { chain, context } = at;
  const { from, to, rule, matched, members, seen } = await pickRoute(edges, context);
  if (matched === null || to === END) return null;
  const open = openGroup(edges, context.steps);
  if (members !== null || open !== null) throw new WorkflowError(severalAreNext(open?.name ?? to));
  if (to === SUSPEND) return answerDirective({ role: from, text }, chain);
  const { condition, location } = matched;
  const place = location == null ? "" : await fillTemplate(location, seen);
  const played = roleStates(chain).findLast(
    ({ node: { payload } }) =>
      payload.role === to && payload.session != null && continuesRole(edges, payload.group),
  );
  return {
    route: { from, to, condition, rule, prompt: text, promptFrom: "person" },
    location: place === "" ? null : place,
    previousSession: played?.node.payload.session ?? null,
    agent: null,
  };
}

/** Members of groups have sessions of their own, unless their group says otherwise. */
function continuesRole(edges: readonly DescriptorEdge[], group: StepGroup | undefined): boolean {
  return group === undefined || policyOf(edges, group.name).session === "role";
}

/** Why a prompt is impossible where members of a group are next. */
export function severalAreNext(group: string): Failure {
  return failure(
    "TRANSITION_INVALID",
    `members of the group ${group} are next, each with a prompt of its own`,
    "leave the prompt out; or fork the thread from another step",
  );
}
