import { expect, it } from "vitest";
import { bodyWithoutMeta } from "./body-without-meta.ts";

const meta = { status: "good", files: ["a", "b"] };
const JSON_TEXT = '{"status":"good","files":["a","b"]}';

it("removes all of a text that is the meta, in any order of fields", () => {
  expect(bodyWithoutMeta(JSON_TEXT, meta)).toBe("");
  expect(bodyWithoutMeta('\n{ "files": ["a", "b"], "status": "good" }\n', meta)).toBe("");
  expect(bodyWithoutMeta("{}", {})).toBe("");
});

it("leaves out the meta where an answer ends with it, fenced or not", () => {
  expect(bodyWithoutMeta(`I mended it.\n\n\`\`\`json\n${JSON_TEXT}\n\`\`\`\n`, meta)).toBe(
    "I mended it.",
  );
  expect(bodyWithoutMeta(`I mended it.\n\`\`\`\n${JSON_TEXT}\n\`\`\``, meta)).toBe("I mended it.");
  const pretty = JSON.stringify(meta, null, 2);
  expect(bodyWithoutMeta(`I mended it.\n${pretty}`, meta)).toBe("I mended it.");
});

it("leaves out the meta where an answer begins with it as front matter", () => {
  const said = "---\nstatus: good\nfiles: [a, b]\n---\n\nI mended it.\n";
  expect(bodyWithoutMeta(said, meta)).toBe("I mended it.");
  expect(bodyWithoutMeta("---\nstatus: good\nfiles: [a, b]\n---", meta)).toBe("");
});

it("keeps whatever says more, less or something else", () => {
  const kept = [
    '{"status":"good"}',
    '{"status":"good","files":["b","a"]}',
    "{",
    "good",
    "",
    "---\nstatus: bad\nfiles: [a, b]\n---\nIt is not.",
    "---\nstatus: good\n",
    "--- \n---\n",
    "I said:\n```json\n{}\n```\n",
    `\`\`\`json\n${JSON_TEXT}\n\`\`\`\nis what I would say`,
    `---\n${"x: &a [*a, *a]\n".repeat(9)}---\n`,
  ];
  for (const said of kept) expect(bodyWithoutMeta(said, meta)).toBe(said);
});
