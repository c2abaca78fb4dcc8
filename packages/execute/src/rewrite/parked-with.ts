/** What a thread waits for after an upgrade. The proof has shown that the new version leads to the same place; what a
 *  person is asked there, the form and the deadline are the new version's. */
import { fillTemplate, type PickedRoute, pickRoute } from "@uncaged/workflow-moderator";
import {
  type DescriptorEdge,
  isPersonWait,
  type ParkedState,
  type PersonWait,
  type ThreadContext,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";

/** Idle if an agent plays a role of the new version that a person was asked to play. */
export async function parkedWith(
  descriptor: WorkflowDescriptor,
  context: ThreadContext,
  parked: ParkedState,
): Promise<ParkedState> {
  if (parked.status !== "suspended") return parked;
  const people = parked.waits.filter(isPersonWait);
  if (people.length < parked.waits.length) return parked;
  const all = await Promise.all(people.map((wait) => renewed(wait, descriptor, context)));
  const [first, ...others] = all.filter((wait) => wait !== null);
  if (first === undefined || all.includes(null)) return { status: "idle" };
  return { status: "suspended", waits: [first, ...others] };
}

async function renewed(
  wait: PersonWait,
  { roles, graph }: WorkflowDescriptor,
  context: ThreadContext,
): Promise<PersonWait | null> {
  const role = roles[wait.role];
  if (role?.person === undefined) return null;
  const picked = await pickRoute(graph.edges, context);
  return {
    ...wait,
    form: role.schema,
    deadline: role.timeoutMs === undefined ? null : wait.since + role.timeoutMs,
    assignees: role.person.assignees ?? [],
    ...(await asked(wait, picked, context)),
  };
}

/** What a person wrote in place of the edge's prompt stays. */
async function asked(
  { route, message }: PersonWait,
  { rule, matched }: PickedRoute<DescriptorEdge>,
  context: ThreadContext,
): Promise<Pick<PersonWait, "route" | "message">> {
  if (route === null || matched === null) return { route, message };
  const now = { ...route, rule, condition: matched.condition };
  if (route.promptFrom === "person") return { route: now, message };
  const prompt = matched.prompt === null ? null : await fillTemplate(matched.prompt, context);
  return { route: { ...now, prompt }, message: prompt ?? message };
}
