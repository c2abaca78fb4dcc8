import { expect, it } from "vitest";
import { type Column, renderTable } from "./render-table.ts";

type Row = { name: string; steps: number };
const columns: Column<Row>[] = [
  { title: "NAME", cell: ({ name }) => name },
  { title: "STEPS", cell: ({ steps }) => String(steps), align: "right" },
  { title: "NOTE", cell: ({ steps }) => (steps > 9 ? "many" : "") },
];

it("aligns its columns, numbers to the right, without trailing blanks", () => {
  const rows = [
    { name: "a", steps: 1_000 },
    { name: "été 🙂", steps: 2 },
  ];
  expect(renderTable(rows, columns)).toBe(
    ["NAME    STEPS  NOTE", "a        1000  many", "été 🙂      2", ""].join("\n"),
  );
});

it("pads before it colours, so that colours do not count", () => {
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

it("fits its terminal: first with short forms, then by cutting the last column", () => {
  const wide: Column<Row>[] = [
    { title: "NAME", cell: ({ name }) => name, short: ({ name }) => name.slice(-3) },
    { title: "STEPS", cell: ({ steps }) => String(steps), align: "right" },
    { title: "LAST", cell: ({ steps }) => "x".repeat(steps) },
  ];
  const rows = [{ name: "0123456789", steps: 12 }];
  expect(renderTable(rows, wide, 40)).toContain("0123456789     12  xxxxxxxxxxxx\n");
  expect(renderTable(rows, wide, 26)).toContain("\n789      12  xxxxxxxxxxxx\n");
  expect(renderTable(rows, wide, 22)).toContain("\n789      12  xxxxxxxx…\n");
  const spare = wide.with(1, { title: "STEPS", cell: () => "12", spare: true });
  expect(renderTable(rows, spare, 22)).toBe("NAME  LAST\n789   xxxxxxxxxxxx\n");
  const two = [...spare.slice(0, 2), { title: "MORE", cell: () => "34", spare: true }] as const;
  expect(renderTable(rows, two, 12)).toBe("NAME  STEPS\n789   12\n");
  expect(renderTable(rows, wide, 5)).toContain("\n789      12  xxxxxxx…\n");
});

it("cuts what may be cut before it leaves a column out, and no further than needed", () => {
  const titled: Column<Row>[] = [
    { title: "NAME", cell: ({ name }) => name, least: 4 },
    { title: "STEPS", cell: ({ steps }) => String(steps), spare: true },
    { title: "MORE", cell: () => "more", spare: true },
  ];
  const rows = [{ name: "0123456789", steps: 12 }];
  const line = (fit: number): string | undefined => renderTable(rows, titled, fit).split("\n")[1];
  expect(line(23)).toBe("0123456789  12     more");
  expect(line(20)).toBe("012345…  12     more");
  expect(line(17)).toBe("012…  12     more");
  expect(line(16)).toBe("01234567…  12");
  expect(line(4)).toBe("012…");
});
