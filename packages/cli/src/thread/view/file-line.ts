import type { StepChanges } from "@uncaged/workflow-execute";
import { printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";

const MARKS = { added: "A", deleted: "D", modified: "M" } as const;
const PATH_CHARACTERS = 400;

/** `M src/a.ts`, as git writes it. */
export function fileLine({ path, change }: StepChanges["files"][number], style: Style): string {
  const paint = { added: style.green, deleted: style.red, modified: style.yellow };
  return `${paint[change](MARKS[change])} ${printableLine(path, PATH_CHARACTERS)}`;
}
