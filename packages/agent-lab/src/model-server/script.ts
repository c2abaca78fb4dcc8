/** A scripted model's behaviour, written into the prompt: `[[shell:npm test]] [[json:{"status":"passed"}]]`.
 *
 *  1. A mark is one model call; the calls of a turn take the marks in order.
 *  2. The position in the script is derived from the conversation that the agent sends, so the only state between
 *     calls is how often a failing mark has failed. */
export type Mark =
  /** Ends the turn with this text. */
  | { kind: "text"; text: string }
  /** Ends the turn with this JSON, using the agent's own tool for structured output if it offers one. */
  | { kind: "json"; json: string }
  | { kind: "shell"; command: string }
  /** Writes a new file; an absolute path, and after a line break its content. */
  | { kind: "edit"; path: string; content: string }
  /** Calls the offered tool whose name ends like this, with these arguments: `worker_spawn {"title":"a"}`. */
  | { kind: "tool"; name: string; input: string }
  /** Answers 429 with `Retry-After: 1` this many times, then continues with the next mark. */
  | { kind: "429"; times: number }
  /** Breaks the stream off after its first words this many times, then continues with the next mark. */
  | { kind: "cut"; times: number }
  /** The endpoint's own words for a prompt that is too long. */
  | { kind: "overflow" }
  /** The endpoint refuses the key. */
  | { kind: "unauthorized" }
  /** Never answers. */
  | { kind: "silence" };

const OPENING = /\[\[(text|json|shell|edit|tool|429|cut|overflow|unauthorized|silence)(:|\]\])/g;

/** The marks of a text, in order; none if there is no script. Throws for an unterminated mark. */
export function readScript(text: string): Mark[] {
  const marks: Mark[] = [];
  const opening = new RegExp(OPENING);
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const kind = found[1] ?? "";
    const payload = found[2] === ":" ? payloadAt(text, opening.lastIndex, kind) : null;
    marks.push(readMark(kind, payload ?? ""));
    // A payload is not searched for further marks.
    if (payload !== null) opening.lastIndex += payload.length + "]]".length;
  }
  return marks;
}

/** JSON may itself contain `]]`, so it ends where it parses. */
function payloadAt(text: string, start: number, kind: string): string {
  for (let end = text.indexOf("]]", start); end >= 0; end = text.indexOf("]]", end + 1)) {
    const payload = text.slice(start, end);
    if (kind !== "json" || isJson(payload)) return payload;
  }
  throw new Error(`the script's [[${kind}: does not end: ${text.slice(start, start + 80)}`);
}

function readMark(kind: string, payload: string): Mark {
  switch (kind) {
    case "text":
      return { kind, text: payload };
    case "json":
      return { kind, json: payload };
    case "shell":
      return { kind, command: payload };
    case "edit":
      return { kind, ...readEdit(payload) };
    case "tool":
      return { kind, ...readTool(payload) };
    case "429":
    case "cut":
      return { kind, times: payload === "" ? Number.POSITIVE_INFINITY : Number(payload) };
    case "overflow":
    case "unauthorized":
    case "silence":
      return { kind };
    default:
      throw new Error(`no such mark: [[${kind}]]`);
  }
}

/** What `[[edit:<path>]]` writes by default. */
const EDITED = "written by the scripted model\n";

function readEdit(payload: string): { path: string; content: string } {
  const end = payload.indexOf("\n");
  if (end < 0) return { path: payload, content: EDITED };
  return { path: payload.slice(0, end), content: payload.slice(end + 1) };
}

function readTool(payload: string): { name: string; input: string } {
  const end = payload.indexOf(" ");
  if (end < 0) return { name: payload, input: "{}" };
  return { name: payload.slice(0, end), input: payload.slice(end + 1) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
