/** Finds the value that a text from an agent was to end with. The text is data: nothing in it is run, and
 *  what does not fit the schema is refused. */
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { z } from "zod";

/** Tries, in this order: the whole text as JSON, the last fenced block, the JSON object that ends the text,
 *  YAML front matter. The first that fits the schema counts. Fails with `INVALID_OUTPUT`. */
export async function readStructured<T>(
  text: string,
  schema: z.ZodType<T>,
): Promise<Result<T, Failure>> {
  let nearest: string | null = null;
  for (const read of [wholeText, lastFence, lastObject, frontMatter]) {
    const candidate = await read(text);
    if (candidate === undefined) continue;
    const parsed = await schema.safeParseAsync(candidate);
    if (parsed.success) return ok(parsed.data);
    nearest ??= describeIssues(parsed.error);
  }
  const why = nearest ?? "it holds no JSON object and no YAML front matter";
  return err(failure("INVALID_OUTPUT", why, "end the output with one JSON object"));
}

/** What does not fit, by its place: `status: Invalid option; phases.0.hash: …`. */
export function describeIssues(error: { issues: readonly z.core.$ZodIssue[] }): string {
  return error.issues
    .slice(0, MOST_ISSUES)
    .map(({ path, message }) =>
      path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`,
    )
    .join("; ");
}

const MOST_ISSUES = 10;

function wholeText(text: string): unknown {
  return object(text);
}

/** Line by line, not by one expression over the text: that may take for ever on hostile input. */
function lastFence(text: string): unknown {
  let last: unknown;
  let open: { fence: string; isJson: boolean; lines: string[] } | null = null;
  for (const line of text.split("\n")) {
    if (open === null) {
      const [, fence, language = ""] = FENCE.exec(line) ?? [];
      if (fence !== undefined) open = { fence, isJson: /^(?:json)?$/i.test(language), lines: [] };
    } else if (line.trimEnd() === open.fence) {
      if (open.isJson) last = object(open.lines.join("\n")) ?? last;
      open = null;
    } else {
      open.lines.push(line);
    }
  }
  return last;
}

const FENCE = /^(`{3,}|~{3,})[ \t]*(\S*)/;

/** An object that begins a line and ends the text. */
function lastObject(text: string): unknown {
  const trimmed = text.trimEnd();
  if (!trimmed.endsWith("}")) return undefined;
  let start = trimmed.length;
  for (let tries = 0; tries < MOST_STARTS; tries++) {
    start = trimmed.lastIndexOf("\n{", start - 1);
    if (start === -1) return undefined;
    const found = object(trimmed.slice(start + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Each try may read the rest of the text. */
const MOST_STARTS = 50;

async function frontMatter(text: string): Promise<unknown> {
  if (!/^---[ \t]*\r?\n/.test(text)) return undefined;
  const lines = text.split("\n");
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end === -1) return undefined;
  const { parse } = await import("yaml");
  try {
    // No aliases: a few lines of them can stand for gigabytes.
    return isObject(parse(lines.slice(1, end).join("\n"), { maxAliasCount: 0 }));
  } catch {
    return undefined;
  }
}

function object(text: string): unknown {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): object | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
