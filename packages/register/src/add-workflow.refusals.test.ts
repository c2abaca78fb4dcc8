/** Files that are not bundles, and bundles that lack what a bundle must have. */
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failure } from "@uncaged/workflow-protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { AddWorkflow } from "./add-workflow.ts";
import { type Attempt, attempt, type Make, source } from "./attempt.test.helper.ts";
import { bundleSource, DESCRIPTOR, plant } from "./scratch.test.helper.ts";

// Processes are started, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** Returns why it was refused, once nothing of it is left. */
async function refusal(make: Make, options: Partial<AddWorkflow> = {}): Promise<Attempt> {
  const made = await attempt(make, onTestFinished, options);
  expect(made.left).toEqual([]);
  return made;
}

describe("a bundle with the wrong exports", () => {
  const run = "export async function* run() {}";
  const descriptor = `export const descriptor = ${JSON.stringify(DESCRIPTOR)};`;

  it.each([
    ["none", "// nothing\n", "does not export run; does not export descriptor"],
    [
      "a default export",
      `${run}\n${descriptor}\nexport default run;`,
      "exports more than that: a default export",
    ],
    ["only a default export", "export default {};", "does not export run"],
    [
      "one more",
      `${run}\n${descriptor}\nexport const helper = 1;`,
      "exports more than that: helper",
    ],
    [
      "`then`, to take part in the import",
      `${run}\n${descriptor}\nexport function then(give) { give({ run, descriptor }); }`,
      "exports more than that: then",
    ],
    [
      "`run` that is not a function",
      `export const run = 1;\n${descriptor}`,
      "exports run as a number, not as a function",
    ],
    [
      "`descriptor` that is a function",
      `${run}\nexport function descriptor() {}`,
      "exports descriptor as a function, not as a object",
    ],
  ])("%s", async (_, text, message) => {
    const said = await refusal(source(text));
    expect(said.message).toContain(message);
    expect(said.code).toBe("BUNDLE_EXPORTS");
  });
});

describe("a bundle with a wrong descriptor", () => {
  const edge = { condition: "FALLBACK", when: null, prompt: null, location: null };

  it.each([
    ["that lacks parts", { description: "x" }, "roles: "],
    ["with an unknown key", { ...DESCRIPTOR, extra: 1 }, "extra"],
    ["without roles", { ...DESCRIPTOR, roles: {}, graph: { edges: [] } }, "has no role"],
    [
      "with an edge to no role",
      { ...DESCRIPTOR, graph: { edges: [{ from: "__start__", to: "nobody", ...edge }] } },
      'graph.edges.0 leads to "nobody", which is not a role',
    ],
    [
      "with an edge from no role",
      { ...DESCRIPTOR, graph: { edges: [{ from: "nobody", to: "greeter", ...edge }] } },
      'graph.edges.0 comes from "nobody", which is not a role',
    ],
    [
      "with an edge to a property of every object",
      { ...DESCRIPTOR, graph: { edges: [{ from: "__start__", to: "constructor", ...edge }] } },
      'leads to "constructor"',
    ],
    [
      "with a role named by a path",
      { ...DESCRIPTOR, roles: { "../x": DESCRIPTOR.roles.greeter } },
      "roles",
    ],
    ["that is null", null, "descriptor"],
    ["that is a list", [1], "descriptor"],
  ])("%s", async (_, descriptor, message) => {
    const said = await refusal(source(bundleSource("", descriptor)));
    expect(said.message).toContain(message);
    expect(said.code).toBe("BUNDLE_INVALID");
  });

  it.each([
    [
      "that refers to itself",
      "const descriptor = {}; descriptor.self = descriptor; export { descriptor };",
      "not plain data",
    ],
    [
      "that throws when it is read",
      "export const descriptor = { get description() { throw 1 } };",
      "not plain data",
    ],
    [
      "that is huge",
      'export const descriptor = { description: "x".repeat(5 * 1024 * 1024) };',
      "more than 4 MiB",
    ],
    [
      "that is too deep",
      `let deep = {}; for (let i = 0; i < 500; i += 1) deep = { deep };
       export const descriptor = { description: "", roles: { a: { description: "", systemPrompt: "", schema: deep } }, graph: { edges: [] } };`,
      "roles.a.schema: must be a plain JSON object",
    ],
  ])("%s", async (_, text, message) => {
    const said = await refusal(source(`export async function* run() {}\n${text}`));
    expect(said.message).toContain(message);
    expect(said.code).toBe("BUNDLE_INVALID");
  });

  it("other than the one in the file beside it", async () => {
    for (const beside of [
      JSON.stringify({ ...DESCRIPTOR, description: "Harmless" }),
      "not JSON",
      "",
    ]) {
      const said = await refusal((folder) => {
        plant(folder, { "flow.descriptor.json": beside });
        return source(bundleSource())(folder);
      });
      expect(said.code).toBe("BUNDLE_DESCRIPTOR_MISMATCH");
      expect(said.message).toContain("flow.descriptor.json");
    }
  });

  it("with a rule that its caller refuses; the message says where the rule is", async () => {
    const said = await refusal(source(bundleSource()), {
      checkRule: (when) => failure("RULE_INVALID", `no: ${when}`, "mend the rule"),
    });
    expect(said).toMatchObject({
      code: "RULE_INVALID",
      message: expect.stringContaining(
        'rule "done" from greeter to __end__ (graph.edges.1.when): no: last.meta.done',
      ),
      hint: "mend the rule",
    });
  });
});

describe("a file that is not a bundle", () => {
  it.each([
    ["is empty", source(""), "is empty"],
    [
      "is not JavaScript",
      source("hello, world!"),
      "is not JavaScript that Node understands: SyntaxError",
    ],
    [
      "is TypeScript",
      source(`const x: number = 1;\n${bundleSource()}`),
      "is not JavaScript that Node understands: SyntaxError",
    ],
    ["is truncated", source("export const run = {"), "flow.esm.js"],
    ["is CommonJS", source("module.exports = {};"), "module is not defined in ES module scope"],
    ["is binary", binary, "is not UTF-8 text"],
    ["is larger than any bundle", huge, "has 65.0 MiB; at most 64.0 MiB are read"],
    ["is a directory", directory, "is a directory"],
    ["is a FIFO", fifo, "is not a regular file"],
    ["is a link to a device", device, "is not a regular file"],
  ])("%s", async (_, make, message) => {
    const said = await refusal(make);
    expect(said.message).toContain(message);
    expect(said.code).toBe("BUNDLE_INVALID");
  });

  it("is missing, or is a broken link", async () => {
    expect((await refusal((folder) => join(folder, "none.js"))).code).toBe("FILE_NOT_FOUND");
    const dangling = (folder: string): string => {
      symlinkSync("none.js", join(folder, "link.js"));
      return join(folder, "link.js");
    };
    expect((await refusal(dangling)).code).toBe("FILE_NOT_FOUND");
  });
});

function binary(folder: string): string {
  writeFileSync(join(folder, "flow.esm.js"), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0x00]));
  return join(folder, "flow.esm.js");
}

function huge(folder: string): string {
  const file = source(bundleSource())(folder);
  truncateSync(file, 65 * 1024 * 1024);
  return file;
}

function directory(folder: string): string {
  mkdirSync(join(folder, "flow.esm.js"));
  return join(folder, "flow.esm.js");
}

function fifo(folder: string): string {
  spawnSync("/bin/sh", ["-c", 'mkfifo "$0"', join(folder, "flow.esm.js")]);
  return join(folder, "flow.esm.js");
}

function device(folder: string): string {
  symlinkSync("/dev/zero", join(folder, "flow.esm.js"));
  return join(folder, "flow.esm.js");
}

describe("a hostile name", () => {
  it.each([
    "",
    "../x",
    "a/b",
    "A",
    "a b",
    "__proto__",
    "-x",
    "--force",
    "x\n",
    "x\0",
    "ﬂow",
    "а",
    "x".repeat(65),
    ".",
    "..",
  ])("%j is refused before anything is read", async (name) => {
    expect((await refusal((folder) => join(folder, "none.js"), { name })).code).toBe("USAGE");
  });
});
