import { expect, it } from "vitest";
import { type Column, renderTable } from "./render-table.ts";

type Row = { name: string; steps: number };
const columns: Column<Row>[] = [
  { title: "NAME", cell: ({ name }) => name },
  { title: "STEPS", cell: ({ steps }) => String(steps), align: "right" },
  { title: "NOTE", cell: ({ steps }) => (steps > 9 ? "many" : "") },
];

it("aligns its columns, numbers at their ends, and leaves no blanks behind", () => {
  const rows = [
    { name: "a", steps: 1_000 },
    { name: "été 🙂", steps: 2 },
  ];
  expect(renderTable(rows, columns)).toBe(
    ["NAME   STEPS  NOTE", "a       1000  many", "été 🙂      2", ""].join("\n"),
  );
});

it("pads before it paints, so that colours do not count", () => {
  const painted: Column<Row>[] = [
    { title: "NAME", cell: ({ name }) => name, paint: (text) => `\u001b[1m${text}\u001b[22m` },
    { title: "STEPS", cell: ({ steps }) => String(steps) },
  ];
  const [, line] = renderTable([{ name: "ab", steps: 3 }], painted).split("\n");
  expect(line).toBe("\u001b[1mab  \u001b[22m  3");
});

it("shows nothing for no rows", () => {
  expect(renderTable([], columns)).toBe("");
});
