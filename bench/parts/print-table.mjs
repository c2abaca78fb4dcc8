/** Prints rows under a title, columns aligned: `what`, its figure, and beside a ratio its bar. A row
 *  without a bar is what others are measured against. Times are shown, never judged: machines differ. */
export function printTable(title, rows) {
  const cells = rows.map(({ what, figure, ratio, bar }) => [
    what,
    figure,
    ratio === undefined ? "" : `${ratio.toFixed(2)} ×`,
    bar === undefined ? "" : `bar ${bar}`,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column].length)));
  console.log(`\n${title}`);
  for (const [what, figure, ratio, bar] of cells) {
    const line = [
      what.padEnd(widths[0]),
      figure.padStart(widths[1]),
      ratio.padStart(widths[2]),
      bar,
    ];
    console.log(`  ${line.join("   ").trimEnd()}`);
  }
}

export function ms(value) {
  return `${value.toFixed(value < 10 ? 3 : 1)} ms`;
}
