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
