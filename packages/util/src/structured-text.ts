import { jsonInText } from "@uncaged/workflow-protocol";

/** Every object that an agent's text may mean as its result, the likeliest first: JSON, then YAML front matter. The
 *  text is untrusted; callers check an object against a schema. */
export async function* structuredIn(text: string): AsyncGenerator<object> {
  yield* jsonInText(text);
  const frontMatter = await frontMatterOf(text);
  if (frontMatter !== undefined) yield frontMatter;
}

/** The YAML object between two lines of three dashes at the very beginning. */
async function frontMatterOf(text: string): Promise<object | undefined> {
  const block = frontMatterBlock(text);
  if (block === undefined) return undefined;
  const { parseDocument } = await import("yaml");
  try {
    const document = parseDocument(block, LINEAR);
    if (document.errors.length > 0) return undefined;
    // No aliases: a few lines of them can expand to gigabytes.
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function frontMatterBlock(text: string): string | undefined {
  const begin = /^---[ \t]*\r?\n/.exec(text)?.[0].length;
  if (begin === undefined) return undefined;
  // If it is longer, its end is not in this part, so it does not count.
  const lines = text.slice(begin, begin + MOST_CHARS).split(/\r?\n/);
  const end = lines.findIndex((line) => line.trimEnd() === "---");
  return end === -1 ? undefined : lines.slice(0, end).join("\n");
}

/** Far more than anyone writes there; long text goes below it. */
const MOST_CHARS = 32_768;

/** Besides parsing, the parser checks all keys for each key, and all lines for each error: an agent's megabyte of
 *  them would keep it busy for minutes. */
const LINEAR = {
  uniqueKeys: false,
  prettyErrors: false,
  merge: false,
  logLevel: "silent",
} as const;
