import {
  LABEL_KEY_PATTERN,
  NOTICE_EVENTS,
  type NoticeEvent,
  type ThreadLabels,
} from "@uncaged/workflow-protocol";
import type { ListenerSettings } from "./registry.ts";
import { list, mapping, ParseError, type Path, text } from "./shape.ts";

const FIELDS = ["command", "url", "secret", "events", "workflows", "labels"] as const;

/** One listener of `config.notify`. A field that is not known is refused, unlike elsewhere: with a typing mistake in a
 *  filter, somebody would be told what they did not want to know. Throws `ParseError`. */
export function parseListener(value: unknown, path: Path): ListenerSettings {
  const fields = new Map(mapping(value, path));
  for (const name of fields.keys()) {
    if (FIELDS.some((known) => known === name)) continue;
    throw new ParseError([...path, name], `is not known; a listener has: ${FIELDS.join(", ")}`);
  }
  return {
    to: target(fields, path),
    events: events(fields.get("events"), [...path, "events"]),
    workflows: workflows(fields.get("workflows"), [...path, "workflows"]),
    labels: labels(fields.get("labels"), [...path, "labels"]),
  };
}

function target(fields: ReadonlyMap<string, unknown>, path: Path): ListenerSettings["to"] {
  const [command, url] = [fields.get("command"), fields.get("url")];
  const secret = fields.get("secret");
  if ((command === undefined) === (url === undefined))
    throw new ParseError(path, "must have a command or a url, and not both");
  if (command === undefined) {
    const where = [...path, "secret"];
    return {
      kind: "webhook",
      url: address(url, [...path, "url"]),
      secret: secret === undefined || secret === null ? null : text(secret, where),
    };
  }
  if (secret !== undefined)
    throw new ParseError([...path, "secret"], "is for a url; a command has no signature");
  return { kind: "command", words: words(command, [...path, "command"]) };
}

function words(value: unknown, path: Path): readonly [string, ...string[]] {
  if (typeof value === "string")
    throw new ParseError(path, "must be a list: the program, then each argument");
  const [program, ...others] = list(value, path);
  return [
    text(program, [...path, 0]),
    ...others.map((word, index) => argument(word, [...path, index + 1])),
  ];
}

function argument(value: unknown, path: Path): string {
  if (typeof value !== "string") throw new ParseError(path, "must be a text");
  return value;
}

function address(value: unknown, path: Path): string {
  const url = text(value, path);
  const { protocol } = URL.parse(url) ?? { protocol: "" };
  if (protocol === "http:" || protocol === "https:") return url;
  throw new ParseError(path, "must be an address that begins with https:// or http://");
}

function events(value: unknown, path: Path): readonly NoticeEvent[] {
  if (value === undefined) return NOTICE_EVENTS;
  return named(value, path).map((name, index) => {
    const event = NOTICE_EVENTS.find((known) => known === name);
    if (event !== undefined) return event;
    throw new ParseError([...path, index], `must be one of: ${NOTICE_EVENTS.join(", ")}`);
  });
}

function workflows(value: unknown, path: Path): readonly string[] | null {
  return value === undefined ? null : named(value, path);
}

/** An empty list would be a listener that is never told anything. */
function named(value: unknown, path: Path): string[] {
  const items = list(value, path);
  if (items.length === 0) throw new ParseError(path, "must name at least one; left out: all");
  return items.map((item, index) => text(item, [...path, index]));
}

function labels(value: unknown, path: Path): ThreadLabels {
  const entries = mapping(value, path).map(([key, wanted]) => {
    if (!LABEL_KEY_PATTERN.test(key))
      throw new ParseError([...path, key], "is not a valid label key");
    return [key, argument(wanted, [...path, key])] as const;
  });
  return Object.fromEntries(entries);
}
