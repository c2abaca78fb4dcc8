/** A workflow in plain sentences: one for each role, one for each edge. */
import { partsOf } from "./mentions.ts";
import type { Outline, OutlineEdge, OutlineRole } from "./outline.ts";

export function roleSentence({ name, goal, player, answers, fields }: OutlineRole): string {
  const who =
    player.kind === "person" ? "a person" : player.agent === null ? "an agent" : player.agent;
  const aim = firstLine(goal);
  const does = aim === "" ? "answers" : `is to: ${lowered(aim)}`;
  const parts = [`${name} (${who}) ${does}.`];
  if (answers.length > 1) parts.push(`Decides between ${listed(answers, "and")}.`);
  if (fields.length > 0)
    parts.push(
      `Says ${listed(
        fields.map(({ name: field }) => field),
        "and",
      )}.`,
    );
  return parts.join(" ");
}

export function edgeSentence(edge: OutlineEdge): string {
  const { from, answers, when, outcomes, resumes, prompt, name } = edge;
  const conditions = [
    ...(answers === null ? [] : [`says ${listed(answers, "or")}`]),
    ...(when === null
      ? []
      : [name === null ? `the rule ${firstLine(when)} holds` : `${name} holds`]),
    ...(outcomes === null ? [] : [`it ended with ${listed(outcomes, "or")}`]),
  ];
  const start = resumes
    ? "A thread that goes on with another's work begins with"
    : "It begins with";
  const after =
    conditions.length === 0 ? `After ${from}` : `If ${from} ${conditions.join(" and ")}`;
  const words = promptInWords(prompt ?? "", from);
  const told = prompt === null ? "" : `, told: “${firstLine(words)}”`;
  if (from === "$START") return `${start} ${edge.to}${told}.`;
  if (edge.to === "$END") return `${after}, it ends.`;
  if (edge.to === "$SUSPEND") return `${after}, a person is asked: “${firstLine(words)}”.`;
  if (edge.members !== null) return `${after}, ${groupOf(edge.members)} work side by side${told}.`;
  return edge.to === from
    ? `${after}, ${from} works again${told}.`
    : `${after}, ${edge.to} is next${told}.`;
}

/** What will stand there in place of each `{{ … }}`: `[drafter: text]` for the text that the drafter says. `from`: the role
 *  before. What is neither text nor a field stays as it is written. */
export function promptInWords(prompt: string, from: string): string {
  return partsOf(prompt)
    .map((part) => {
      if (part.kind === "text") return part.text;
      return part.kind === "field" ? `[${part.role ?? from}: ${part.field}]` : part.source;
    })
    .join("");
}

function groupOf({ each, roles }: NonNullable<OutlineEdge["members"]>): string {
  return each === null ? listed(roles, "and") : `a ${roles[0] ?? "role"} for each of ${each}`;
}

/** All of it, roles first. */
export function sentencesOf({ roles, edges }: Outline): string[] {
  return [...roles.map(roleSentence), ...edges.map(edgeSentence)];
}

function listed(items: readonly string[], word: "and" | "or"): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`;
}

function firstLine(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.trim() ?? "";
  return line.length <= 160 ? line : `${line.slice(0, 159).toWellFormed()}…`;
}

function lowered(text: string): string {
  // Names and abbreviations keep their letters.
  return /^\p{Lu}\p{Ll}/u.test(text) ? text.slice(0, 1).toLowerCase() + text.slice(1) : text;
}
