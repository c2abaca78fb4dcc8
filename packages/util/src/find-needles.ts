/** Finds many texts in one pass: the first characters at a position select the few texts that can start there. */
import type { Needle } from "./secret-needles.ts";

export type Find = {
  start: number;
  end: number;
  needle: Needle;
};

export type NeedleFinder = {
  /** From left to right, the longest at each position; matches never overlap. */
  find(text: string): Find[];
  /** Position from which the text may be the beginning of a needle; the text's length when there is none. */
  begun(text: string): number;
  longest: number;
};

/** `needles`: the longest first; each has at least 4 characters. */
export function needleFinder(needles: readonly Needle[]): NeedleFinder {
  const table = new Uint8Array(65_536);
  const byBeginning = new Map<number, Needle[]>();
  for (const needle of needles) {
    const key = beginning(needle.text, 0);
    table[key] = 1;
    byBeginning.set(key, [...(byBeginning.get(key) ?? []), needle]);
  }
  const firsts = new Set(needles.map(({ text }) => text.charCodeAt(0)));
  const longest = needles[0]?.text.length ?? 0;
  return {
    longest,
    find(text) {
      const found: Find[] = [];
      if (needles.length === 0) return found;
      const last = text.length - 4;
      for (let at = 0; at <= last; at++) {
        const key = beginning(text, at);
        if (table[key] === 0) continue;
        const needle = byBeginning.get(key)?.find((each) => text.startsWith(each.text, at));
        if (needle === undefined) continue;
        const end = withSlack(text, at + needle.text.length, needle.slack);
        found.push({ start: at, end, needle });
        at = end - 1;
      }
      return found;
    },
    begun(text) {
      for (let at = Math.max(0, text.length - longest + 1); at < text.length; at++) {
        if (!firsts.has(text.charCodeAt(at))) continue;
        const tail = text.slice(at);
        if (needles.some((each) => each.text.length > tail.length && each.text.startsWith(tail)))
          return at;
      }
      return text.length;
    },
  };
}

function beginning(text: string, at: number): number {
  const first = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  const second = text.charCodeAt(at + 2) * 31 + text.charCodeAt(at + 3);
  return (Math.imul(first, 40_503) ^ Math.imul(second, 24_593)) & 0xffff;
}

function withSlack(text: string, end: number, slack: number): number {
  let after = end;
  while (after < end + slack && /[\w+/=-]/.test(text[after] ?? "")) after++;
  return after;
}
