/** Where expressions and `{{ … }}` of a workflow name roles and fields. */

/** `byRole.writer`, and comparisons of a step's role with it, in one expression or text with placeholders. */
export function withRole(text: string, { from, to }: { from: string; to: string }): string {
  const name = escaped(from);
  return text
    .replace(
      new RegExp(`(byRole\\s*\\.\\s*)(?:\`${name}\`|${name}(?![\\w$]))`, "g"),
      (_all, before) => `${before}${step(to)}`,
    )
    .replace(
      new RegExp(`(\\brole\\s*!?=\\s*)(["'])${name}\\2`, "g"),
      (_all, before, quote) => `${before}${quote}${to}${quote}`,
    );
}

/** What the role before said is, once another stands between, no longer the last. */
export function fromRole(text: string, role: string): string {
  return text.replace(/\{\{[\s\S]*?\}\}/g, (part) =>
    part.replace(/(?<![\w.$`])last(?=\s*\.)/g, `byRole.${step(role)}.last`),
  );
}

/** A chip in a prompt: `{{ byRole.writer.last.meta.text }}`. */
export function placeholder(role: string, field: string): string {
  return `{{ byRole.${step(role)}.last.meta.${step(field)} }}`;
}

/** The pieces of a prompt: plain text, and fields of earlier roles. What is neither stays an expression. */
export type PromptPart =
  | { kind: "text"; text: string }
  | { kind: "field"; role: string | null; field: string; source: string }
  | { kind: "expression"; source: string };

/** `role` null: whichever came before. */
export function partsOf(prompt: string): PromptPart[] {
  return prompt.split(/(\{\{[\s\S]*?\}\})/).flatMap((source, at): PromptPart[] => {
    if (at % 2 === 0) return source === "" ? [] : [{ kind: "text", text: source }];
    const found =
      /^\{\{\s*(?:last|byRole\.(?:`(?<quoted>[^`]+)`|(?<plain>\w+))\.last)\.meta\.(?:`(?<odd>[^`]+)`|(?<field>\w+))\s*\}\}$/.exec(
        source,
      )?.groups;
    const field = found?.odd ?? found?.field;
    if (field === undefined) return [{ kind: "expression", source }];
    return [{ kind: "field", role: found?.quoted ?? found?.plain ?? null, field, source }];
  });
}

/** A field with a new name, where a text takes it from this role. `isLast`: the text stands behind the role. */
export function withField(
  text: string,
  { role, from, to, isLast }: { role: string; from: string; to: string; isLast: boolean },
): string {
  const name = `(?:\`${escaped(from)}\`|${escaped(from)}(?![\\w$]))`;
  const ways = [
    `byRole\\s*\\.\\s*(?:\`${escaped(role)}\`|${escaped(role)})\\s*\\.\\s*last\\s*\\.\\s*meta\\s*\\.\\s*`,
  ];
  if (isLast) ways.push("(?<![\\w.$`])last\\s*\\.\\s*meta\\s*\\.\\s*");
  return text.replace(
    new RegExp(`(${ways.join("|")})${name}`, "g"),
    (_all, before) => `${before}${step(to)}`,
  );
}

/** As a step of a path in an expression. */
function step(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) && !/^(?:and|or|in|true|false|null)$/.test(name)
    ? name
    : `\`${name}\``;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\-]/g, "\\$&");
}
