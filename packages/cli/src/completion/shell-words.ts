/** What the scripts for bash and zsh have in common. */
import type { Kind, Place } from "./model.ts";

/** A kind as one word; choices as `=a,b`. */
export function kindWord(kind: Kind): string {
  return typeof kind === "string" ? kind : `=${kind.choices.join(",")}`;
}

/** Lines of a `case` over "<path> <option>" that sets `kind` for options that take a value. */
export function valueCases({ path, options }: Place): string[] {
  return options.flatMap(({ short, long, value }) => {
    if (value === null) return [];
    const flags = [short, long].filter((flag) => flag !== null);
    const patterns = flags.map((flag) => `'${[...path, flag].join(" ")}'`);
    return [`    ${patterns.join(" | ")}) kind='${kindWord(value)}' ;;`];
  });
}
