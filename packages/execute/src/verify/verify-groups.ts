/** Whether the members of groups stand in a chain as they were appended, whatever table led to them. */
import { isSameGroup, type StepGroup } from "@uncaged/workflow-protocol";
import { type Chain, type ChainState, roleStates } from "../chain/chain.ts";

/** Members that are there twice, or cannot be of the group that they name. */
export function verifyGroups(chain: Chain): { hash: string; message: string }[] {
  const found: { hash: string; message: string }[] = [];
  let current: { group: StepGroup; seen: Set<number> } | null = null;
  for (const [round, { hash, node }] of roleStates(chain).entries()) {
    const { group } = node.payload;
    if (group === undefined) {
      current = null;
      continue;
    }
    let message: string | null;
    if (current !== null && isSameGroup(group, current.group)) {
      message = memberFault(group, current);
    } else {
      current = { group, seen: new Set<number>() };
      message = entryFault(group, round);
    }
    message ??= placeFault(group);
    if (message !== null) found.push({ hash, message });
    current.seen.add(group.index);
  }
  return found;
}

function entryFault({ name, entry }: StepGroup, round: number): string | null {
  return entry === round ? null : `the group ${name} began after ${round} steps, not ${entry}`;
}

function memberFault(
  { name, index, of }: StepGroup,
  { group, seen }: { group: StepGroup; seen: ReadonlySet<number> },
): string | null {
  if (seen.has(index)) return `member ${index} of the group ${name} is there twice`;
  return of === group.of ? null : `the group ${name} has ${group.of} members, not ${of}`;
}

function placeFault({ name, index, of }: StepGroup): string | null {
  return index < of ? null : `the group ${name} of ${of} members has no member ${index}`;
}

/** The state that a step saw last: of a member the one before its group. */
export function stateSeenBy(chain: Chain, state: ChainState): string {
  const { group } = state.node.payload;
  const first =
    group === undefined
      ? state
      : chain.states.find(({ node }) => isSameGroup(node.payload.group, group));
  return first?.node.payload.ancestors[0] ?? chain.startHash;
}
