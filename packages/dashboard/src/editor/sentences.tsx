import { edgeSentence, type Outline, roleSentence } from "@uncaged/workflow-editor";
import { visible } from "../text/visible.ts";

/** The workflow in plain sentences, and what only its text says. */
export function Sentences({ outline }: { outline: Outline }) {
  const { roles, edges, onlyText } = outline;
  return (
    <div className="p-4">
      <h2>Who does what</h2>
      <ul className="mb-4 list-disc pl-5">
        {roles.map((role) => (
          <li key={role.name}>{visible(roleSentence(role))}</li>
        ))}
      </ul>
      <h2>What comes next</h2>
      <ul className="mb-4 list-disc pl-5">
        {edges.map((edge) => (
          <li key={edge.path.join("\n")}>{visible(edgeSentence(edge))}</li>
        ))}
      </ul>
      {onlyText.length > 0 && (
        <>
          <h2>Only in the text</h2>
          <ul className="list-disc pl-5">
            {onlyText.map(({ what, span }) => (
              <li key={span.start}>{visible(what)}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
