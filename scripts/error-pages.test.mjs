/** Every error code has a page that says the exit code that it really has, and no page speaks of a code that is gone. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ERROR_CODES, exitCodeOf } from "../packages/protocol/src/error-codes.ts";

const folder = fileURLToPath(new URL("../docs/errors/", import.meta.url));
const codes = Object.keys(ERROR_CODES);
const page = (name) => readFileSync(`${folder}${name}.md`, "utf8");

describe("the pages of docs/errors", () => {
  it("are one for each error code, and an overview", () => {
    const pages = readdirSync(folder).filter((name) => name !== "README.md");
    expect(pages.sort()).toEqual(codes.map((code) => `${code}.md`).sort());
  });

  it.each(codes)("%s: says its exit code, when it happens and what to do", (code) => {
    const text = page(code);
    expect(text).toMatch(new RegExp(`^# ${code}\n\nExit code ${exitCodeOf(code)} \\(`));
    expect(text.match(/^## .*$/gm)).toEqual(["## When", "## What to do"]);
    const lines = text.trimEnd().split("\n");
    expect(lines.length).toBeGreaterThanOrEqual(8);
    expect(lines.length).toBeLessThanOrEqual(30);
  });

  it("are listed in the overview, in order, each with its exit code", () => {
    const rows = [...page("README").matchAll(/^\| \[(\w+)\]\((\w+)\.md\) \| (\d+) \|/gm)];
    expect(rows.map(([, name, file, exit]) => [name, file, Number(exit)])).toEqual(
      codes.toSorted().map((code) => [code, code, exitCodeOf(code)]),
    );
  });
});
