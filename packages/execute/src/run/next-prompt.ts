/** What a person says to the next role, in place of the edge's prompt.
 *
 *  1. The table still decides which role that is; only the words are a person's, and the route says so.
 *  2. Where the table asks a person, the words are the answer. */
import { fillTemplate, pickRoute } from "@uncaged/workflow-moderator";
import {
  type DescriptorEdge,
  END,
  type StepDirective,
  SUSPEND,
  type ThreadContext,
} from "@uncaged/workflow-protocol";
import { answerDirective } from "../chain/answer-directive.ts";
import { type Chain, roleStates } from "../chain/chain.ts";

/** null: the table ends the thread here, so there is no next role. Rejects as `pickRoute` does. */
export async function nextPromptDirective(
  edges: readonly DescriptorEdge[],
  at: { chain: Chain; context: ThreadContext },
  text: string,
): Promise<StepDirective | null> {
  const { chain, context } = at;
  const { from, to, rule, matched } = await pickRoute(edges, context);
  if (matched === null || to === END) return null;
  if (to === SUSPEND) return answerDirective({ role: from, text }, chain);
  const { condition, location } = matched;
  const place = location == null ? "" : await fillTemplate(location, context);
  const played = roleStates(chain).findLast(
    ({ node: { payload } }) => payload.role === to && payload.session != null,
  );
  return {
    route: { from, to, condition, rule, prompt: text, promptFrom: "person" },
    location: place === "" ? null : place,
    previousSession: played?.node.payload.session ?? null,
    agent: null,
  };
}
