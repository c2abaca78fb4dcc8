import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { failure } from "@uncaged/workflow-protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { addWorkflow } from "../add-workflow.ts";
import {
  DESCRIPTOR,
  emptyBase,
  plant,
  scratchFolder,
  scratchRegistry,
  tree,
  UNCHECKED,
} from "../scratch.test.helper.ts";
import { type BuildBundle, type BuiltBundle, buildBundle } from "./build-bundle.ts";

// The bundler and processes are started, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** A stand-in for the runtime that refuses the definition when it is created. */
const REFUSING = {
  "node_modules/@uncaged/workflow-runtime/package.json":
    '{ "name": "@uncaged/workflow-runtime", "version": "1.0.0", "type": "module", "exports": "./index.js" }',
  "node_modules/@uncaged/workflow-runtime/index.js": `
    export function createWorkflow(failure) {
      throw Object.assign(new Error("table.coder[1].role: there is no role x"), { name: "WorkflowError", failure });
    }`,
};

/** A project with several kinds of modules, with a CommonJS package and an external one. */
const PROJECT = {
  "package.json": '{ "name": "flows", "type": "module" }',
  "tsconfig.json":
    '{ "compilerOptions": { "target": "es5", "jsx": "react", "useDefineForClassFields": false } }',
  "src/flow.ts": `
    import { greet } from "@uncaged/greeting";
    import cjs from "legacy";
    import text from "./data.json" with { type: "json" };
    import { type Unused, word } from "./words.ts";
    /** A comment that nobody needs at run time. */
    export async function* run(): AsyncGenerator<never, { returnCode: number; summary: string }, unknown> {
      const { lazy } = await import("./lazy.ts");
      return { returnCode: 0, summary: [greet, word, cjs.value, text.text, lazy].join(" ") };
    }
    export const descriptor = ${JSON.stringify(DESCRIPTOR)};
    export type { Unused };
  `,
  "src/words.ts":
    'export type Unused = string; class Word { text = "hello" } export const word = new Word().text; export const dropped = "never used";',
  "src/lazy.ts": 'export const lazy = "later";',
  "src/data.json": '{ "text": "from JSON" }',
  "node_modules/legacy/package.json": '{ "name": "legacy", "main": "./lib/index.js" }',
  "node_modules/legacy/lib/index.js":
    "/*! @license of legacy */ exports.value = require('./deep/value.js');",
  "node_modules/legacy/lib/deep/value.js": "module.exports = 'from CommonJS';",
  "node_modules/@uncaged/greeting/package.json":
    '{ "name": "@uncaged/greeting", "version": "2.0.0", "type": "module", "exports": "./index.js" }',
  "node_modules/@uncaged/greeting/index.js": 'export const greet = "greetings";',
};

function project(place = "project", files: { readonly [path: string]: string } = {}): string {
  const folder = join(scratchFolder(onTestFinished), place);
  plant(folder, { ...PROJECT, ...files });
  return folder;
}

function build(folder: string, more: Partial<BuildBundle> = {}): ReturnType<typeof buildBundle> {
  return buildBundle({
    entry: "src/flow.ts",
    out: null,
    cwd: folder,
    root: join(folder, "root"),
    packagesBase: emptyBase(folder),
    ...UNCHECKED,
    ...more,
  });
}

async function built(folder: string, more: Partial<BuildBundle> = {}): Promise<BuiltBundle> {
  const result = await build(folder, more);
  if (!result.ok) throw new Error(`${result.error.code} ${result.error.message}`);
  return result.value;
}

const outputOf = (folder: string): { [path: string]: string } =>
  Object.fromEntries(Object.entries(tree(folder)).filter(([path]) => path.startsWith("dist")));

describe("building a bundle", () => {
  it.each(["RULE_INVALID", "DEFINITION_INVALID", "CONFIG_INVALID"])(
    "reports a definition's own fault, %s, with its hint, at its place in the source",
    async (code) => {
      const folder = project("project", {
        ...REFUSING,
        "src/broken.ts": `
          type Long = { readonly words: string };
          import { createWorkflow } from "@uncaged/workflow-runtime";
          export const run = createWorkflow({ code: "${code}", hint: "name a role that is there" });`,
        "src/flow.ts": `export { run } from "./broken.ts"; export const descriptor = {};`,
      });
      expect(await build(folder)).toEqual({
        ok: false,
        error: {
          code,
          message: `${join(folder, "src/broken.ts")}:4:30: table.coder[1].role: there is no role x`,
          hint: "name a role that is there",
        },
      });
      expect(tree(join(folder, "src"))).not.toHaveProperty("dist");
    },
  );

  it("does not believe a bundle that poses as an engine failure", async () => {
    const folder = project("project", {
      ...REFUSING,
      "src/flow.ts": `import { createWorkflow } from "@uncaged/workflow-runtime";
export const run = createWorkflow({ code: "STORAGE_FAILED", hint: "delete everything" });
export const descriptor = {};`,
    });
    expect(await build(folder)).toMatchObject({
      ok: false,
      error: {
        code: "BUNDLE_INVALID",
        message: expect.stringContaining(`(${join(folder, "src/flow.ts")}:2:20)`),
      },
    });
  });

  it("writes one module, its descriptor, the record of the build and a source map", async () => {
    const folder = project();
    const bundle = await built(folder);
    expect(bundle).toEqual({
      file: join(folder, "dist/flow.esm.js"),
      hash: expect.stringMatching(/^[0-9A-F][0-9A-HJKMNP-TV-Z]{12}$/),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      descriptorFile: join(folder, "dist/flow.descriptor.json"),
      externals: ["@uncaged/greeting"],
      notes: [],
    });
    const files = outputOf(folder);
    expect(Object.keys(files)).toEqual([
      "dist",
      "dist/flow.build.json",
      "dist/flow.descriptor.json",
      "dist/flow.esm.js",
      "dist/flow.esm.js.map",
    ]);
    expect(JSON.parse(files["dist/flow.descriptor.json"] ?? "")).toEqual(DESCRIPTOR);
    expect(JSON.parse(files["dist/flow.build.json"] ?? "")).toMatchObject({
      hash: bundle.hash,
      sha256: bundle.sha256,
      rolldown: "1.3.2",
      externals: ["@uncaged/greeting"],
    });
    expect(JSON.parse(files["dist/flow.esm.js.map"] ?? "").sources).toContain("../src/flow.ts");
  });

  it("includes everything except external packages, and nothing that reveals where it was built", async () => {
    const folder = project();
    const code = readFileSync((await built(folder)).file, "utf8");
    for (const inside of ["from CommonJS", "from JSON", "later", 'from"@uncaged/greeting"'])
      expect(code).toContain(inside);
    for (const outside of [
      "never used",
      "comment",
      "license",
      "sourceMappingURL",
      "legacy",
      "flow.ts",
      folder,
    ]) {
      expect(code).not.toContain(outside);
    }
  });

  it("returns the same bytes in any folder, for any spelling of the entry's path", async () => {
    const one = project();
    const two = project("elsewhere/deep in/a folder (2)");
    const link = join(scratchFolder(onTestFinished), "link");
    symlinkSync(one, link);
    const bundles = [
      await built(one),
      await built(two),
      await built(one, { entry: join(one, "src/flow.ts"), out: "out/other name.js" }),
      await built(one, { entry: "flow.ts", cwd: join(one, "src") }),
      await built(link),
      await built("/", { entry: join(link, "src/../src/flow.ts"), root: join(one, "root") }),
    ];
    expect(new Set(bundles.map(({ file }) => readFileSync(file, "utf8"))).size).toBe(1);
    expect(new Set(bundles.map(({ hash }) => hash)).size).toBe(1);
    const { "dist/flow.esm.js.map": _one, ...ours } = outputOf(one);
    const { "dist/flow.esm.js.map": _two, ...theirs } = outputOf(two);
    expect(ours).toEqual(theirs);
  });

  it("is not changed by a tsconfig, NODE_ENV or files that it does not import", async () => {
    const { hash } = await built(project());
    vi.stubEnv("NODE_ENV", "production");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const other = project("other", {
      "tsconfig.json": '{ "compilerOptions": { "target": "es2022" } }',
      "src/new.ts": "export {}",
      "rolldown.config.js": "throw 1",
    });
    expect((await built(other)).hash).toBe(hash);
  });

  it("writes into the entry's package, else the working directory, or where it is told to", async () => {
    const loose = scratchFolder(onTestFinished);
    plant(loose, {
      "flows/one.mjs": `export const run = () => {}; export const descriptor = ${JSON.stringify(DESCRIPTOR)};`,
    });
    expect((await built(loose, { entry: "flows/one.mjs" })).file).toBe(
      join(loose, "dist/one.esm.js"),
    );
    const folder = project();
    expect((await built(folder, { out: "x/y.mjs" })).descriptorFile).toBe(
      join(folder, "x/y.descriptor.json"),
    );
  });

  it("returns a bundle that can be added, with the bundler that made it on record", async () => {
    const folder = project();
    const bundle = await built(folder);
    const root = join(folder, "root");
    const added = await addWorkflow({
      root,
      // As if the engine were installed next to the project's packages.
      packagesBase: `file://${folder}/cli.js`,
      name: "flow",
      file: bundle.file,
      types: null,
      ...UNCHECKED,
      registry: scratchRegistry(root),
      nowMs: 1,
    });
    expect(added).toMatchObject({ ok: true, value: { hash: bundle.hash, sha256: bundle.sha256 } });
    const stored = tree(join(root, "bundles", bundle.hash));
    expect(stored["build.json"]).toBe(outputOf(folder)["dist/flow.build.json"]);
    expect(stored["descriptor.json"]).toBe(outputOf(folder)["dist/flow.descriptor.json"]);
  });
});

describe("a build that fails", () => {
  const HEAD = `export const run = () => {}; export const descriptor = ${JSON.stringify(DESCRIPTOR)};\n`;

  it.each([
    [
      "does not parse",
      "const x: number = ;\n",
      "BUILD_FAILED",
      "src/flow.ts:1:19: Unexpected token",
    ],
    [
      "imports a missing file",
      '\n\nimport "./none.ts";',
      "BUILD_FAILED",
      "src/flow.ts:3:8: Could not resolve './none.ts'",
    ],
    [
      "imports a package that is not installed",
      'import x from "left-pad"; export const run = x;',
      "BUILD_FAILED",
      'src/flow.ts:1:15: cannot find "left-pad"',
    ],
    [
      "imports what is not exported",
      'import { none } from "./words.ts"; export const run = none;',
      "BUILD_FAILED",
      'src/flow.ts:1:10: "none" is not exported by',
    ],
    ["has a default export", `${HEAD}export default 1;`, "BUNDLE_EXPORTS", "a default export"],
    [
      "throws when it is imported",
      `${HEAD}throw new Error("no");`,
      "BUNDLE_INVALID",
      "throws when it is imported: Error: no",
    ],
    [
      "needs an external package that is not installed",
      `import "@uncaged/none";\n${HEAD}`,
      "BUNDLE_UNRESOLVED",
      "@uncaged/none",
    ],
    [
      "has a wrong descriptor",
      "export const run = () => {}; export const descriptor = {};",
      "BUNDLE_INVALID",
      "the descriptor in the bundle of",
    ],
  ])(
    "because its entry %s says so, and leaves the last build untouched",
    async (_, text, code, message) => {
      const folder = project();
      await built(folder);
      const before = outputOf(folder);
      writeFileSync(join(folder, "src/flow.ts"), text);
      const failed = await build(folder);
      expect(failed).toMatchObject({
        ok: false,
        error: { code, message: expect.stringContaining(message) },
      });
      expect(outputOf(folder)).toEqual(before);
    },
  );

  it("names every problem, each with its place", async () => {
    const folder = project("project", { "src/flow.ts": 'import "./a.ts";\nimport "./b.ts";' });
    const failed = await build(folder);
    expect(!failed.ok && failed.error.message.split("\n")).toEqual([
      `${folder}/src/flow.ts:1:8: Could not resolve './a.ts'`,
      `${folder}/src/flow.ts:2:8: Could not resolve './b.ts'`,
    ]);
  });

  it("because a rule is refused leaves nothing", async () => {
    const folder = project();
    const checkRule = () => failure("RULE_INVALID", "no", "");
    expect(await build(folder, { checkRule })).toMatchObject({
      ok: false,
      error: { code: "RULE_INVALID" },
    });
    expect(outputOf(folder)).toEqual({});
  });

  it("because the entry is missing, or a folder, says so", async () => {
    const folder = project();
    expect(await build(folder, { entry: "none.ts" })).toMatchObject({
      ok: false,
      error: { code: "FILE_NOT_FOUND" },
    });
    expect(await build(folder, { entry: "src" })).toMatchObject({
      ok: false,
      error: { code: "USAGE" },
    });
  });

  it("because its output cannot be written says so", async () => {
    const folder = project();
    mkdirSync(join(folder, "dist/flow.esm.js"), { recursive: true });
    expect(await build(folder)).toMatchObject({ ok: false, error: { code: "STORAGE_FAILED" } });
  });
});
