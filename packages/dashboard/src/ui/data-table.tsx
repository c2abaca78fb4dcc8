import type { ReactNode } from "react";

export type Column<T> = {
  title: string;
  cell: (row: T) => ReactNode;
  /** Numbers stand right. */
  right?: boolean;
  /** Left out on narrow screens. */
  wideOnly?: boolean;
};

/** A table that keeps to the width of the page: what does not fit scrolls inside it. */
export function DataTable<T>({
  label,
  columns,
  rows,
  keyOf,
}: {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
}) {
  const cellClass = ({ right, wideOnly }: Column<T>) =>
    `px-3 py-1.5 ${right === true ? "text-right tabular" : "text-left"} ${wideOnly === true ? "max-md:hidden" : ""}`;
  return (
    <section
      className="overflow-x-auto rounded-md border border-line bg-surface"
      aria-label={label}
      tabIndex={0}
    >
      <table className="w-full">
        <thead>
          <tr className="border-line border-b">
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={`hint font-medium ${cellClass(column)}`}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className="border-line border-b last:border-b-0 hover:bg-raised">
              {columns.map((column) => (
                <td key={column.title} className={cellClass(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
