/** The texts by which a known secret is found: its value, each line of it, and the forms in which programs pass
 *  values on. */
import { looksSecret } from "./secret-names.ts";

export type Needle = {
  text: string;
  /** What replaces it. */
  label: string;
  /** Base64: up to this many further characters belong to it; they depend on what followed the value. */
  slack: number;
  /** Short lines that follow this one in the value; alone they could occur in any text. */
  next: readonly string[];
};

/** Shorter texts are words that occur in any text. */
export const MIN_SECRET_CHARS = 8;
/** For a longer value only its lines are searched for, not its encodings. */
const MAX_ENCODED_CHARS = 32_768;

export type SecretSource = {
  /** Environment variables: those with a secret's name are secrets, and so are passwords in URLs. */
  env: Readonly<Record<string, string | undefined>>;
  /** Values that are secrets whatever their name. */
  values?: readonly string[] | undefined;
};

/** The longest first: a secret may be part of another. */
export function secretNeedles({ env, values = [] }: SecretSource): Needle[] {
  const found = new Map<string, Needle>();
  const add = (needle: Needle): void => {
    if (needle.text.length >= MIN_SECRET_CHARS && !found.has(needle.text))
      found.set(needle.text, needle);
  };
  const addSecret = (value: string, label: string): void => {
    if (value.trim().length >= MIN_SECRET_CHARS && !isPlain(value))
      needlesOf(value, label).forEach(add);
  };
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (looksSecret(name)) addSecret(value, `[${name}]`);
    for (const password of passwordsIn(value)) addSecret(password, `[${name}]`);
  }
  for (const value of values) addSecret(value, "[secret]");
  return [...found.values()].sort((a, b) => b.text.length - a.text.length);
}

/** `true`, a number, the start of a path: nobody would guard it. */
function isPlain(value: string): boolean {
  return /^(?:true|false|null|undefined|\d{1,11})$/i.test(value);
}

/** Passwords in URLs: `scheme://user:password@host`. A password that also occurs elsewhere in its own URL is
 *  searched for only together with the URL, because it could occur in any text. */
function passwordsIn(value: string): string[] {
  const passwords: string[] = [];
  for (const [, scheme = "", user = "", password = "", rest = ""] of value.matchAll(ADDRESS)) {
    const isWord = `${scheme} ${user} ${rest}`.includes(password);
    passwords.push(isWord ? `${user}:${password}@` : password);
    const decoded = decodedUri(password);
    if (decoded !== password) passwords.push(decoded);
  }
  return passwords;
}

const ADDRESS = /([a-z][a-z\d+.-]{0,30}):\/\/([^\s:@/]{0,256}):([^\s@/]{1,512})@([^\s]{0,256})/gi;

function decodedUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function needlesOf(value: string, label: string): Needle[] {
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  const whole = value.trim();
  const texts = lines.length === 1 ? [whole] : [whole, ...lines];
  const plain = (text: string): Needle => ({ text, label, slack: 0, next: [] });
  const needles: Needle[] = lines.flatMap((text, at) =>
    isArmour(text) ? [] : [{ ...plain(text), next: shortLinesAfter(lines, at) }],
  );
  if (value.length > MAX_ENCODED_CHARS) return needles;
  for (const text of texts) {
    if (isArmour(text)) continue;
    needles.push(plain(JSON.stringify(text).slice(1, -1)), plain(inJsonTwice(text)));
    needles.push(...uriForms(text).map(plain), ...hexForms(text).map(plain));
    needles.push(...base64Forms(text).map((form) => ({ ...plain(form), slack: 4 })));
  }
  return needles;
}

/** The frame of a key only says what it is, and surrounds every other key too. */
function isArmour(line: string): boolean {
  return /^-{4,5} ?(?:BEGIN|END) [A-Z\d ]+-{4,5}$/.test(line);
}

function shortLinesAfter(lines: readonly string[], at: number): string[] {
  const next: string[] = [];
  for (const line of lines.slice(at + 1)) {
    if (line.length >= MIN_SECRET_CHARS) break;
    if (line !== "") next.push(line);
  }
  return next;
}

/** JSON inside JSON, as tool calls write their arguments. */
function inJsonTwice(text: string): string {
  return JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1);
}

function uriForms(text: string): string[] {
  if (!text.isWellFormed()) return [];
  const form = encodeURIComponent(text);
  const strict = form.replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const lower = (each: string): string =>
    each.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase());
  const all = [
    encodeURI(text),
    form,
    strict,
    form.replaceAll("%20", "+"),
    strict.replaceAll("%20", "+"),
  ];
  return [...all, ...all.map(lower)];
}

function hexForms(text: string): string[] {
  const hex = Buffer.from(text).toString("hex");
  return [hex, hex.toUpperCase()];
}

/** Base64 of any text that contains the value at any offset; also split into the rows that programs write. */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text);
  const forms = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    // The text before and after the value changes these characters.
    const wholeGroups = Math.floor((offset + bytes.length) / 3) * 4;
    return encoded.slice(offset === 0 ? 0 : offset + 1, wholeGroups);
  });
  const rows = [64, 76].flatMap((width) => rowsOf(forms[0] ?? "", width));
  const all = [...forms, ...rows];
  return [...all, ...all.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}

function rowsOf(text: string, width: number): string[] {
  const rows: string[] = [];
  for (let at = 0; at < text.length; at += width) rows.push(text.slice(at, at + width));
  return rows;
}
