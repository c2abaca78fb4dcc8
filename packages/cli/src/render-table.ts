/** Columns of plain text, two spaces apart. Every cell is a value that people may scan down. */
export type Column<Row> = {
  title: string;
  cell: (row: Row) => string;
  /** Numbers are easier to compare when their ends meet. */
  align?: "right";
  /** Paints the padded cell; it must not change what is seen of its width. */
  paint?: (padded: string, row: Row) => string;
};

/** Lines of a table with its titles; the last column is not padded. No rows: no table. */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  if (rows.length === 0) return "";
  const cells = rows.map((row) => columns.map((column) => column.cell(row)));
  const widths = columns.map(({ title }, at) =>
    cells.reduce((widest, line) => Math.max(widest, widthOf(line[at] ?? "")), widthOf(title)),
  );
  const pad = (text: string, at: number): string => {
    const fill = " ".repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)));
    if (columns[at]?.align === "right") return fill + text;
    return at === columns.length - 1 ? text : text + fill;
  };
  const head = columns.map(({ title }, at) => pad(title, at)).join("  ");
  const lines = rows.map((row, line) =>
    columns
      .map(({ paint }, at) => {
        const padded = pad(cells[line]?.[at] ?? "", at);
        return paint === undefined ? padded : paint(padded, row);
      })
      .join("  "),
  );
  return `${[head, ...lines].map((line) => line.trimEnd()).join("\n")}\n`;
}

/** Characters, not UTF-16 units. */
function widthOf(text: string): number {
  return [...text].length;
}
