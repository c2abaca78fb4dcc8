import { describe, expect, it } from "vitest";
import { listExternals } from "./list-externals.ts";

async function externalsOf(code: string): Promise<readonly string[] | string> {
  const listed = await listExternals(code, "flow.esm.js");
  return listed.ok ? listed.value : `${listed.error.code} ${listed.error.message}`;
}

describe("the external packages of a text", () => {
  it("are those of every form of import, each once, sorted, without sub-paths", async () => {
    expect(
      await externalsOf(`
        import a from "@uncaged/b"; import{x as y}from"@uncaged/a/sub/path"; import "@uncaged/b/other";
        export { z } from '@uncaged/c'; export * from "@uncaged/d";
        const lazy = () => import(\`@uncaged/e\`);
      `),
    ).toEqual(["@uncaged/a", "@uncaged/b", "@uncaged/c", "@uncaged/d", "@uncaged/e"]);
  });

  it("exclude comments, strings, regular expressions and Node's built-in modules", async () => {
    expect(
      await externalsOf(`
        // import "@uncaged/a";
        /* import "@uncaged/b"; */
        const text = 'import "@uncaged/c"', pattern = /import "@uncaged\\/d"/;
        import fs from "node:fs"; import path from "path"; import { setTimeout } from "timers/promises";
      `),
    ).toEqual([]);
  });

  it("may be accompanied by an optional package that is only tried", async () => {
    expect(await externalsOf('try { await import("bufferutil") } catch {}')).toEqual([]);
  });

  it.each([
    "left-pad",
    "./other.js",
    "/etc/passwd",
    "file:///etc/passwd",
    "data:text/javascript,1",
    "https://example.org/x.js",
    "node:nothing",
    "@other/x",
  ])("and an import of %s is refused", async (name) => {
    expect(await externalsOf(`import "${name}";`)).toBe(
      `BUNDLE_INVALID flow.esm.js imports "${name}"`,
    );
  });

  it("cannot be read from anything but a module", async () => {
    expect(await externalsOf('import { from "x')).toContain(
      "BUNDLE_INVALID flow.esm.js cannot be read as a JavaScript module",
    );
  });
});
