import {
  DEFAULT_ITEM_NAME,
  type DescriptorEdge,
  type Group,
  membersIn,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { visible } from "../text/visible.ts";

/** The table that decides who plays next, in the order in which rules are tried. */
export function Rules({ descriptor }: { descriptor: WorkflowDescriptor }) {
  const places = [...new Set(descriptor.graph.edges.map(({ from }) => from))];
  return (
    <div className="mx-auto max-w-4xl space-y-3 p-4">
      {places.map((from) => (
        <section key={from} className="rounded-md border border-line bg-surface p-3">
          <h2 className="mb-1">After {visible(from === "__start__" ? "the start" : from)}</h2>
          <ol className="list-decimal space-y-1 pl-6">
            {descriptor.graph.edges
              .filter((edge) => edge.from === from)
              .map((edge) => (
                <li key={`${edge.to} ${edge.condition} ${edge.outcomes?.join(" ") ?? ""}`}>
                  <Rule edge={edge} />
                </li>
              ))}
          </ol>
        </section>
      ))}
      {descriptor.result !== undefined && (
        <section className="rounded-md border border-line bg-surface p-3">
          <h2 className="mb-1">The thread returns</h2>
          <code className="foreign font-mono text-xs">{visible(descriptor.result)}</code>
        </section>
      )}
    </div>
  );
}

function Rule({ edge }: { edge: DescriptorEdge }) {
  return (
    <>
      {edge.when === null ? "otherwise" : <strong>{visible(edge.condition)}</strong>} →{" "}
      <strong>{visible(wordOf(edge.to))}</strong>
      {edge.outcomes !== undefined && (
        <span className="text-dim"> after {edge.outcomes.join(", ")}</span>
      )}
      {edge.when !== null && (
        <code className="foreign block font-mono text-dim text-xs">{visible(edge.when)}</code>
      )}
      {edge.prompt !== null && <p className="foreign text-dim">“{visible(edge.prompt)}”</p>}
      {edge.location !== null && <p className="foreign text-dim">in {visible(edge.location)}</p>}
      {edge.group !== undefined && <InGroup group={edge.group} />}
    </>
  );
}

function InGroup({ group }: { group: Group }) {
  const { each, as = DEFAULT_ITEM_NAME, join = "all", onFault, session, atOnce } = group;
  const policy = [
    join === "all"
      ? "joins when all are done"
      : `joins after ${join === "any" ? "the first success" : `${join.atLeast} successes`}`,
    ...(onFault === "stop" ? ["the first failure ends the others"] : []),
    ...(session === "role" ? ["in the session of their role, one after the other"] : []),
    ...(atOnce === undefined ? [] : [`${atOnce} at once`]),
  ];
  return (
    <div className="text-dim">
      <p>Side by side: {policy.join("; ")}.</p>
      <ul className="list-disc pl-5">
        {membersIn(group).map((member) => (
          <li key={JSON.stringify(member)}>
            <strong>{visible(member.role)}</strong>
            {each !== undefined && (
              <>
                {" "}
                for each {visible(as)} of{" "}
                <code className="foreign font-mono text-xs">{visible(each)}</code>
              </>
            )}
            {member.agent !== undefined && `, played by ${visible(member.agent)}`}
            {member.location !== undefined && `, in ${visible(member.location)}`}
            {member.workspace !== undefined && `, files: ${member.workspace}`}
            {member.prompt !== undefined && <p className="foreign">“{visible(member.prompt)}”</p>}
          </li>
        ))}
      </ul>
    </div>
  );
}

const wordOf = (to: string): string =>
  to === "__end__" ? "the end" : to === "__suspend__" ? "a question to a person" : to;
