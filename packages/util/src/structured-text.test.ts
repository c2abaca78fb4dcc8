import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { structuredIn } from "./structured-text.ts";

async function found(text: string): Promise<object[]> {
  const objects: object[] = [];
  for await (const object of structuredIn(text)) objects.push(object);
  return objects;
}

describe("structuredIn", () => {
  it("reads the front matter between the first dashes", async () => {
    expect(await found("---\nstatus: done\nn: 1\n---\nText\n---\n")).toEqual([
      { status: "done", n: 1 },
    ]);
    expect(await found("---\r\nstatus: done\r\n---\r\n")).toEqual([{ status: "done" }]);
  });

  it("offers JSON before front matter", async () => {
    expect(await found('---\na: 1\n---\n```json\n{"b":2}\n```\n')).toEqual([{ b: 2 }, { a: 1 }]);
  });

  it.each([
    ["text before it", "Hi\n---\na: 1\n---\n"],
    ["no end", "---\na: 1\n"],
    ["a list", "---\n- 1\n---\n"],
    ["broken YAML", "---\na: [\n---\n"],
    ["aliases, which can stand for gigabytes", "---\na: &x [1]\nb: [*x, *x]\n---\n"],
  ])("finds no front matter with %s", async (_name, text) => {
    expect(await found(text)).toEqual([]);
  });
});

const frontMatter = (yaml: string): Promise<object[]> => found(`---\n${yaml}\n---\nBody.`);

describe("front matter", () => {
  it("is found after the JSON of the text", async () => {
    expect(await found('---\r\nstatus: done\r\n---\r\nSee {"a":1}.')).toEqual([
      { a: 1 },
      { status: "done" },
    ]);
    expect(await frontMatter("status: done\nwhy: |\n  because\n  of it\nlist: [1, 2]")).toEqual([
      { status: "done", why: "because\nof it\n", list: [1, 2] },
    ]);
  });

  const many = (count: number, line: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => line(at)).join("\n");

  it.each([
    ["aliases", "a: &a x\nb: *a"],
    ["an alias bomb", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]"],
    ["a fault", "a: b: c"],
    ["a list", "- a"],
    ["nothing", ""],
    ["95,000 keys", many(95_000, (at) => `k${at}: 1`)],
    [
      "a mapping of 95,000 keys in a line",
      `a: {${many(95_000, (at) => `k${at}`).replaceAll("\n", ",")}}`,
    ],
    ["100,000 anchors", many(100_000, (at) => `k${at}: &a${at} x`)],
    ["100,000 faults", many(100_000, () => "a: ]")],
    ["merges", `a: &a {x: 1}\n${many(60_000, (at) => `k${at}: {<<: *a}`)}`],
    ["a megabyte of brackets", `a: ${"[".repeat(1_000_000)}`],
    ["as many faults as fit", many(5_000, () => "a: ]")],
    ["as many brackets as fit", `a: ${"{[".repeat(15_000)}`],
  ])("with %s is not recognized", async (_what, yaml) => {
    expect(await frontMatter(yaml)).toEqual([]);
  });

  it("with as many keys as fit is recognized", async () => {
    const [first = {}] = await frontMatter(many(2_500, (at) => `k${at}: 1`));
    expect(Object.keys(first)).toHaveLength(2_500);
  });

  it("never throws, whatever it contains", async () => {
    const mark = fc.constantFrom(
      "a",
      ":",
      " ",
      "\n",
      "-",
      "?",
      "&a",
      "*a",
      "<<",
      "!",
      "{",
      "}",
      "[",
      "]",
      "'",
      '"',
      "|",
      ">",
      "#",
      "%",
      "\t",
      "\\",
    );
    const yaml = fc.array(mark, { maxLength: 200 }).map((marks) => marks.join(""));
    await fc.assert(
      fc.asyncProperty(yaml, async (text) => {
        for (const each of await frontMatter(text)) expect(typeof each).toBe("object");
      }),
    );
  });
});
