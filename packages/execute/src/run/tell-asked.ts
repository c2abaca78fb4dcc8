import type { LiveEvent, PersonWait } from "@uncaged/workflow-protocol";

/** Tells those who watch a thread that a person is asked while its agents run. */
export function tellAsked(
  threadId: string,
  emit: (event: LiveEvent) => void,
): (wait: PersonWait) => void {
  return ({ role, message, since, group, member }) => {
    const place =
      group === undefined || member === undefined
        ? {}
        : { group: { name: group.name, entry: group.entry, index: member, of: group.of } };
    emit({ threadId, timestamp: since, type: "asked", role, ...place, message });
  };
}
