/** Parsing longer ones takes a while, and a frozen tab is worse than a plain text. */
const MOST_MARKDOWN = 30_000;
/** Depth of quotes and lists costs more than length; no person writes this many in a row. */
const TOO_DEEP = /(?:>[ \t]*){20}|^(?:[ \t]*[-*+][ \t]+){20}|[[(*_~`]{40}/m;

/** How a text is shown. */
export function kindOf(text: string): "markdown" | "json" | "text" {
  if (text.length > MOST_MARKDOWN || text.includes("\u001b[") || TOO_DEEP.test(text)) return "text";
  if (/^\s*[[{]/.test(text)) {
    try {
      JSON.parse(text);
      return "json";
    } catch {
      // Then it is a text that begins like that.
    }
  }
  return "markdown";
}
