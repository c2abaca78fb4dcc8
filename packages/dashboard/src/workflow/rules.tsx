import type { DescriptorEdge, WorkflowDescriptor } from "@uncaged/workflow-protocol";
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
      {edge.group !== undefined && (
        <code className="foreign block font-mono text-dim text-xs">
          {visible(JSON.stringify(edge.group))}
        </code>
      )}
    </>
  );
}

const wordOf = (to: string): string =>
  to === "__end__" ? "the end" : to === "__suspend__" ? "a question to a person" : to;
