import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { editText } from "./edit-text.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "edit text "));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program that does this with the file it is given last. */
function editor(script: string): string {
  const path = join(folder, "editor.sh");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return `"${path}"`;
}

test("a long text is what the editor leaves, with the suggestion to begin with", () => {
  const adds = editor('printf " and\\nmore\\n\\n" >> "$2"; test "$1" = --wait');
  expect(editText(`${adds} --wait`, "begun")).toBe("begun and\nmore");
});

test("nothing is taken from an editor that fails", () => {
  expect(editText(editor('printf "half" > "$1"; exit 1'), "begun")).toBeNull();
});
