/** Prints rows under a title, with the keys of all rows as the head. What a row lacks is a dash. */
export function printColumns(title, rows) {
  const keys = [...new Set(rows.flatMap(Object.keys))];
  const lines = [keys.map((key) => (key === "what" ? "" : key))];
  for (const row of rows) lines.push(keys.map((key) => row[key] ?? "–"));
  const widths = keys.map((_, at) => Math.max(...lines.map((line) => line[at].length)));
  console.log(`\n${title}`);
  for (const [first, ...rest] of lines) {
    const cells = rest.map((cell, at) => cell.padStart(widths[at + 1]));
    console.log(`  ${[first.padEnd(widths[0]), ...cells].join("   ").trimEnd()}`);
  }
}
