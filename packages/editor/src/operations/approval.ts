/** A person who is asked before an edge is taken. */
import type { Failure, JsonObject, JsonValue, Result } from "@uncaged/workflow-protocol";
import type { Step } from "../change.ts";
import type { Edit } from "../edit.ts";
import { fromRole } from "../mentions.ts";
import { isFields, type Path, textAt, treeAt } from "../tree.ts";
import { jsonOf } from "./edges.ts";
import { nameFault } from "./roles.ts";
import { operated, set } from "./texts.ts";

/** Puts a role that a person plays into an edge: approved, the thread goes on as before; otherwise the role before it is
 *  told what to change. */
export function addApproval(
  text: string,
  { edge, role, question }: { edge: Path; role: string; question: string },
): Result<Edit, Failure> {
  return operated(text, (doc) => {
    const { tree } = doc;
    const fault = nameFault(doc, role);
    if (fault !== null) return fault;
    const from = String(edge[1]);
    if (from === "$START") return "nothing has been made yet that could be approved";
    if (treeAt(tree, ["roles", from]) === undefined) return "an approval stands behind a role";
    const target = treeAt(tree, edge);
    if (target === undefined) return "there is no such edge";
    const to = typeof target === "string" ? target : textAt(tree, [...edge, "role"]);
    if (to === null || textAt(tree, [...edge, "group"]) !== null) return "it leads to a group";
    const asks: Step[] =
      typeof target === "string"
        ? [set(edge, { role, prompt: question })]
        : [set([...edge, "role"], role), set([...edge, "prompt"], question)];
    const moved = treeAt(tree, [...edge, "location"]);
    if (moved !== undefined) return "it says where the next role works";
    return [
      ...asks,
      set(["roles", role], approver(`Say whether it may go on${NAMED.has(to) ? "" : ` to ${to}`}`)),
      set(["graph", role], {
        approved: further(isFields(target) ? textAt(tree, [...edge, "prompt"]) : null, to, from),
        changes: { role: from, prompt: "{{ last.meta.wish }}" },
      }),
    ];
  });
}

/** What the next role was told, with what the role before said, though it is no longer the last. */
function further(prompt: string | null, to: string, from: string): JsonValue {
  return prompt === null
    ? to
    : jsonOf(
        new Map([
          ["role", to],
          ["prompt", fromRole(prompt, from)],
        ]),
      );
}

const NAMED: ReadonlySet<string> = new Set(["$END", "$SUSPEND"]);

function approver(goal: string): JsonObject {
  return {
    by: "person",
    goal,
    output: {
      type: "object",
      properties: {
        status: { enum: ["approved", "changes"] },
        wish: { type: "string", description: "What shall be changed; empty when you approve" },
      },
      required: ["status"],
    },
  };
}
