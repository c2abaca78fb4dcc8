import { END, START, SUSPEND, type WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { printableLine } from "../terminal/printable.ts";
import { graphNodes } from "./graph-nodes.ts";

const MAX_LABEL = 80;

/** The graph of a workflow as a Mermaid flowchart: GitHub and many editors draw it. */
export function mermaid(descriptor: WorkflowDescriptor): string {
  const nodes = graphNodes(descriptor);
  // Roles may have names that are Mermaid keywords, so nodes are numbered.
  const ids = new Map(nodes.map(({ name }, at) => [name, `n${at}`]));
  ids.set(END, "finish");
  ids.set(SUSPEND, "person");
  const targets = new Set(nodes.flatMap(({ edges }) => edges.map(({ to }) => to)));
  const lines = nodes.map(({ name, members, byPerson }) => {
    const id = ids.get(name);
    if (name === START) return `${id}(["start"])`;
    if (byPerson) return `${id}{{"${escaped(name)}"}}`;
    if (members === null) return `${id}["${escaped(name)}"]`;
    // A box with double sides: it stands for several steps.
    const inside = `${name}: ${printableLine(members, MAX_LABEL)}`;
    return `${id}[["${escaped(inside)}"]]`;
  });
  if (targets.has(END)) lines.push('finish(["end"])');
  if (targets.has(SUSPEND)) lines.push('person{{"asks a person"}}');
  for (const { name, edges } of nodes) {
    for (const { to, label } of edges) {
      const text = label === "" ? "" : `|"${escaped(printableLine(label, MAX_LABEL))}"|`;
      lines.push(`${ids.get(name)} -->${text} ${ids.get(to)}`);
    }
  }
  return `flowchart TD\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

/** Mermaid writes its special characters as their numbers. */
function escaped(text: string): string {
  return text.replace(/[^\p{L}\p{N} _.,()+/-]/gu, (char) => `#${char.codePointAt(0)};`);
}
