export type Label = readonly [name: string, value: string];

/** `team=web, keep=yes` as labels. */
export function labelsIn(text: string): { labels: Label[]; fault: string | undefined } {
  const labels: Label[] = [];
  for (const part of text.split(",").map((each) => each.trim())) {
    if (part === "") continue;
    const at = part.indexOf("=");
    if (at < 1) return { labels: [], fault: `“${part}” has to be name=value` };
    labels.push([part.slice(0, at).trim(), part.slice(at + 1).trim()]);
  }
  return { labels, fault: undefined };
}
