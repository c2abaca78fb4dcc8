import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readStructured } from "./read-structured.ts";

const schema = z.object({ status: z.enum(["passed", "failed"]) });
const passed = '{"status":"passed"}';

async function read(text: string) {
  const result = await readStructured(text, schema);
  return result.ok ? result.value.status : result.error.message;
}

describe("readStructured finds", () => {
  it.each([
    ["plain JSON", ` ${passed}\n`],
    ["JSON over several lines", '{\n  "status": "passed"\n}'],
    ["a fenced block", `I ran them.\n\n\`\`\`json\n${passed}\n\`\`\`\n`],
    ["a fenced block without a language", `text\n\`\`\`\n${passed}\n\`\`\`\nmore text`],
    [
      "the last of two fenced blocks",
      `\`\`\`json\n{"status":"failed"}\n\`\`\`\n\`\`\`json\n${passed}\n\`\`\``,
    ],
    [
      "a block after a block of another language",
      `\`\`\`sh\nnpm test\n\`\`\`\n\`\`\`json\n${passed}\n\`\`\``,
    ],
    ["an object that ends the text", `All is well { really }.\n${passed}\n`],
    ["an object over several lines that ends the text", `Done:\n{\n  "status":\n  "passed"\n}\n`],
    ["a fenced block that is never closed", `\`\`\`json\n${passed}`],
    ["the last of two objects on one line", `{"status":"failed"} ${passed}`],
    ["an object between words", `The result: ${passed}. That is all.`],
    ["YAML front matter", "---\nstatus: passed\n---\nAll is well.\n"],
  ])("%s", async (_name, text) => {
    expect(await read(text)).toBe("passed");
  });
});

describe("readStructured refuses", () => {
  it.each([
    ["nothing at all", ""],
    ["prose", "they passed"],
    ["a list", '[{"status":"passed"}]'],
    ["an object cut short", '{"status":"passed"'],
    ["a fenced block cut short", '```json\n{"status":'],
    ["front matter with aliases", "---\na: &a passed\nstatus: *a\n---\n"],
  ])("%s", async (_name, text) => {
    expect(await read(text)).toBe("it contains no JSON object and no YAML front matter");
  });

  it("an object that does not fit, and says where", async () => {
    expect(await read('{"status":"maybe"}')).toMatch(/^status: /);
  });

  it.each([
    ["nested objects that never close", '{"a":\n'.repeat(150_000)],
    ["nested objects and an end", `${'{"a":\n'.repeat(150_000)}}`],
    ["fences without end", "```\n".repeat(250_000)],
    ["deep front matter", `---\n${"- ".repeat(2_000)}\n---\n`],
  ])("without hanging: %s", async (_name, text) => {
    expect(await read(text)).toBe("it contains no JSON object and no YAML front matter");
  });
});
