/** The file that a workflow was written in, for what is found out only once it is compiled. */
import type { Finding } from "../check/finding.ts";
import { collectFaults, type Span } from "./faults.ts";
import type { Written } from "./written.ts";

export type YamlSource = { text: string; place: string; written: Written };

/** Where a finding stands, both from 1; null: the file does not say. */
export function lineOf(
  source: YamlSource,
  finding: Finding,
): { line: number; column: number } | null {
  const span = spanOf(source, finding);
  if (span === null) return null;
  const before = source.text.slice(0, span[0]).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** All of them with their lines, as the file's own faults are shown; null: none of them is in the file. */
export function shownInYaml(source: YamlSource, findings: readonly Finding[]): string | null {
  const faults = collectFaults(source);
  for (const finding of findings) {
    const span = spanOf(source, finding);
    if (span !== null) faults.add(span, `${finding.place}: ${finding.message}`);
  }
  return faults.failure()?.message ?? null;
}

/** The characters that a finding is about; null: the file does not say. */
export function spanOf({ text, written }: YamlSource, { place, field }: Finding): Span | null {
  const own = written.get(place);
  const span = own ?? written.get(place.replace(/\.\w+$/, "")) ?? null;
  if (span === null || own === undefined || field === undefined) return span;
  return fieldIn(text, span, field) ?? span;
}

/** The misspelt word itself, when it is plain which one it is. */
function fieldIn(text: string, [start, end]: Span, field: string): Span | null {
  const written = text.slice(start, end);
  const name = field.split(".").at(-1) ?? field;
  const whole = written.indexOf(field);
  const alone = written.split(name).length === 2 ? written.indexOf(name) : -1;
  const at = whole >= 0 ? whole + field.length - name.length : alone;
  return at < 0 ? null : [start + at, start + at + name.length];
}
