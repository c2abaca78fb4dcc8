import { jsonInText } from "@uncaged/workflow-protocol";

/** Every object that a text of an agent may mean as its result, the likeliest first: JSON, then YAML front matter.
 *  The text is data; whoever takes an object checks it against a schema. */
export async function* structuredIn(text: string): AsyncGenerator<object> {
  yield* jsonInText(text);
  const frontMatter = await frontMatterOf(text);
  if (frontMatter !== undefined) yield frontMatter;
}

/** The YAML object between three dashes at the very beginning. */
async function frontMatterOf(text: string): Promise<object | undefined> {
  const lines = text.split(/\r?\n/);
  if (lines[0]?.trimEnd() !== "---") return undefined;
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end === -1) return undefined;
  const { parse } = await import("yaml");
  try {
    // No aliases: a few lines of them can stand for gigabytes.
    const value: unknown = parse(lines.slice(1, end).join("\n"), { maxAliasCount: 0 });
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
