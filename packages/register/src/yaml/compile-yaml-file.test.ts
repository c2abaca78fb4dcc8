import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkWorkflowFile } from "../check-workflow-file.ts";
import { emptyBase, plant, scratchFolder, UNCHECKED } from "../scratch.test.helper.ts";

function examine(file: string, text: string, asked = file): ReturnType<typeof checkWorkflowFile> {
  const folder = scratchFolder(onTestFinished);
  plant(folder, { [file]: text });
  const bases = { root: join(folder, "root"), packagesBase: emptyBase(folder) };
  return checkWorkflowFile({ ...bases, ...UNCHECKED, file: join(folder, asked), types: null });
}

it.each([
  ["flow.yaml.txt", "flow.yaml"],
  ["flow.txt", "flow.yaml"],
  ["flow.docx", "flow.yaml"],
])("for a workflow named %s, the suggested name is %s", async (file, name) => {
  expect(await examine(file, "description: d\n")).toMatchObject({
    ok: false,
    error: { code: "YAML_INVALID", hint: expect.stringContaining(`under the name ${name}`) },
  });
});

it("a file whose ending the system hides is found", async () => {
  expect(await examine("flow.yaml.txt", "description: d\n", "flow.yaml")).toMatchObject({
    ok: false,
    error: { code: "FILE_NOT_FOUND", hint: expect.stringContaining("mv flow.yaml.txt flow.yaml") },
  });
});

it.each([
  ["rich text", "{\\rtf1 description: d}"],
  ["a word processor's document", "PK\u0003\u0004 and so on"],
])("for %s the hint is to save it as plain text", async (_, text) => {
  expect(await examine("flow.yaml", text)).toMatchObject({
    ok: false,
    error: { code: "YAML_INVALID", hint: expect.stringContaining("save it as plain text") },
  });
});
