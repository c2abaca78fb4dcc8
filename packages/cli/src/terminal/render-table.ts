import { printable } from "./printable.ts";
import { cutToWidth, widthOf } from "./text-width.ts";

/** Columns of plain text, two spaces apart. Cells are values that people may scan down. */
export type Column<Row> = {
  title: string;
  cell: (row: Row) => string;
  /** Numbers are easier to compare when they end in the same column. */
  align?: "right";
  /** Shown instead when the table would be too wide. */
  short?: (row: Row) => string;
  /** Left out where even the short forms are too wide, those that stand last first. */
  spare?: true;
  /** May be cut to this width, before any column is left out. */
  least?: number;
  /** Colours the padded cell; it must not change its visible width. */
  paint?: (padded: string, row: Row) => string;
};

/** Lines of a table with its titles; the last column is not padded. No rows: no table. `fit`: columns that a
 *  line holds; what is too wide is shown short, then columns with a
 *  least width are cut, then spare columns are left out one by one, and then the last column is cut. null: as wide as it is. */
export function renderTable<Row>(
  rows: readonly Row[],
  all: readonly Column<Row>[],
  fit: number | null = null,
): string {
  if (rows.length === 0) return "";
  const { columns, cells } = fitted(rows, all, fit);
  const widths = columns.map((_column, at) => columnWidth({ columns, cells }, at));
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

/** The minimum width of the last column after a cut. */
const LAST_CHARS = 8;

type Table<Row> = { columns: readonly Column<Row>[]; cells: string[][] };

function fitted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  fit: number | null,
): Table<Row> {
  const filled = (kept: readonly Column<Row>[], form: "cell" | "short"): Table<Row> => ({
    columns: kept,
    cells: rows.map((row) => kept.map((column) => printable((column[form] ?? column.cell)(row)))),
  });
  const whole = filled(columns, "cell");
  if (fit === null || tableWidth(whole) <= fit) return whole;
  const short = filled(columns, "short");
  if (tableWidth(short) <= fit) return short;
  const narrow = cutColumns(withoutSpares(short, fit), fit);
  const over = tableWidth(narrow) - fit;
  const last = narrow.columns.length - 1;
  if (over <= 0 || narrow.columns[last]?.align === "right") return narrow;
  return withWidth(narrow, last, Math.max(LAST_CHARS, columnWidth(narrow, last) - over));
}

/** Spare columns go one by one, the last first, until the others fit at their least width. */
function withoutSpares<Row>(whole: Table<Row>, fit: number): Table<Row> {
  let table = whole;
  while (tableWidth(cutColumns(table, 0)) > fit) {
    const at = table.columns.findLastIndex(({ spare }) => spare === true);
    if (at === -1) break;
    const columns = table.columns.toSpliced(at, 1);
    table = { columns, cells: table.cells.map((line) => line.toSpliced(at, 1)) };
  }
  return table;
}

/** Cuts the columns that have a least width, the last first, as far as it takes. */
function cutColumns<Row>(whole: Table<Row>, fit: number): Table<Row> {
  return whole.columns.reduceRight((table, { least }, at) => {
    const over = tableWidth(table) - fit;
    if (least === undefined || over <= 0) return table;
    const width = columnWidth(table, at);
    return width <= least ? table : withWidth(table, at, Math.max(least, width - over));
  }, whole);
}

function withWidth<Row>({ columns, cells }: Table<Row>, at: number, room: number): Table<Row> {
  return { columns, cells: cells.map((line) => line.with(at, cutToWidth(line[at] ?? "", room))) };
}

function tableWidth<Row>(table: Table<Row>): number {
  return table.columns.reduce((sum, _column, at) => sum + columnWidth(table, at) + 2, -2);
}

function columnWidth<Row>({ columns, cells }: Table<Row>, at: number): number {
  return cells.reduce(
    (widest, line) => Math.max(widest, widthOf(line[at] ?? "")),
    widthOf(columns[at]?.title ?? ""),
  );
}
