import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { emptyBase, plant, scratchFolder } from "../scratch.test.helper.ts";
import { loadAgentPackage } from "./load-agent-package.ts";

const AGENT = (name: string): string =>
  `export const agent = { name: ${JSON.stringify(name)}, create: () => () => {}, probe: async () => ({}) };`;

/** A package in `node_modules` of `place`. */
function install(
  folder: string,
  what: { place: string; name: string; code: string; exports?: unknown },
): void {
  const { place, name, code, exports = "./index.js" } = what;
  plant(join(folder, place, "node_modules", name), {
    "package.json": JSON.stringify({ name, version: "1.2.3", type: "module", exports }),
    "index.js": code,
  });
}

function bases(folder: string): { root: string; packagesBase: string } {
  return { root: join(folder, "root"), packagesBase: emptyBase(folder) };
}

describe("loadAgentPackage", () => {
  it("prefers the storage root's package to the engine's, whatever its name", async () => {
    const folder = scratchFolder(onTestFinished);
    for (const place of ["engine", "root"]) {
      install(folder, { place, name: "my-agent", code: AGENT(place) });
      const loaded = await loadAgentPackage("my-agent", bases(folder));
      expect(loaded).toMatchObject({
        ok: true,
        value: { agent: { name: place }, located: { version: "1.2.3" } },
      });
    }
  });

  it("loads a package that exports itself only to `import`, and one with a scope", async () => {
    const folder = scratchFolder(onTestFinished);
    const exports = { ".": { import: "./index.js" } };
    install(folder, { place: "root", name: "@them/agent", code: AGENT("theirs"), exports });
    expect(await loadAgentPackage("@them/agent", bases(folder))).toMatchObject({
      value: { agent: { name: "theirs" } },
    });
  });

  it("says how to install a missing package", async () => {
    const folder = scratchFolder(onTestFinished);
    expect(await loadAgentPackage("my-agent", bases(folder))).toEqual({
      ok: false,
      error: {
        code: "AGENT_NOT_FOUND",
        message: "the agent package my-agent is not installed",
        hint: "install it with: uncaged-workflow agent add my-agent",
      },
    });
  });

  it.each([
    ["exports something else", "export const a = 1; export const b = 2;", "it exports: a, b"],
    ["exports an invalid agent", "export const agent = { name: 'x' };", "it exports: agent"],
    ["breaks when it is loaded", "throw new Error('no wheels');", "does not load: no wheels"],
    ["lacks a package", "import 'not-there';", "does not load"],
  ])("refuses a package that %s, naming its version and place", async (_name, code, problem) => {
    const folder = scratchFolder(onTestFinished);
    install(folder, { place: "root", name: "odd", code });
    const loaded = await loadAgentPackage("odd", bases(folder));
    if (loaded.ok) throw new Error("it was loaded");
    expect(loaded.error.code).toBe("CONFIG_INVALID");
    expect(loaded.error.message).toContain(`the package odd 1.2.3 in ${folder}`);
    expect(loaded.error.message).toContain(problem);
  });
});
