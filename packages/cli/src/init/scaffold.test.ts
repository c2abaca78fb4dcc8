/** The projects that `init` copies are real ones: they are compiled and tested in place. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { projectFiles } from "./project-files.ts";
import type { ProjectPackages } from "./project-packages.ts";
import { CODE_TEMPLATES, type Template } from "./templates.ts";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const run = promisify(execFile);

type Manifest = {
  name: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  overrides?: Record<string, string>;
};

const CLI = "@uncaged/cli-workflow";
const TESTKIT = "@uncaged/workflow-testkit";

const REGISTRY = { version: "9.8.7", carried: null };

async function projectOf(
  template: Template,
  packages: ProjectPackages = REGISTRY,
): Promise<Map<string, string>> {
  const files = await projectFiles({ template, name: "reviews", packages });
  return new Map(files.map((file) => [file.path, "text" in file ? file.text : file.copyOf]));
}

async function manifestOf(template: Template, packages?: ProjectPackages): Promise<Manifest> {
  const files = await projectOf(template, packages);
  const manifest: Manifest = JSON.parse(files.get("package.json") ?? "");
  return manifest;
}

describe.each(CODE_TEMPLATES)("the project of template %s", (template) => {
  const folder = fileURLToPath(new URL(`../../scaffold/${template}`, import.meta.url));

  test("compiles, and its own tests pass", { timeout: 60_000 }, async () => {
    await run(`${repository}node_modules/.bin/tsc`, ["-p", "."], { cwd: folder });
    const { stdout } = await run(process.execPath, ["--test", "--test-reporter=tap"], {
      cwd: folder,
    });
    expect(stdout).toMatch(/^# pass [1-9]/m);
  });

  test("has our packages in this release, and other packages in the versions that this release is built with", async () => {
    const { dependencies, devDependencies } = await manifestOf(template);
    const workspace: { catalog: Record<string, string> } = parse(
      readFileSync(`${repository}pnpm-workspace.yaml`, "utf8"),
    );
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      const expected = name.startsWith("@uncaged/") ? "9.8.7" : workspace.catalog[name];
      expect([name, version.replace(/^\^/, "")]).toEqual([name, expected?.replace(/^\^/, "")]);
    }
  });

  test("takes each of our packages from its own files when the command line carries them", async () => {
    const release = Object.keys((await manifestOf(template)).dependencies).concat(CLI, TESTKIT);
    const ours = [...release.filter((name) => name.startsWith("@uncaged/")), "@uncaged/inner"];
    const files = new Map(ours.map((name): [string, string] => [name, `${name.slice(9)}.tgz`]));
    const carried = { folder: "/carried", files };
    const packages = { version: "9.8.7", carried };
    const manifest = await manifestOf(template, packages);
    const expected = Object.fromEntries(
      ours.map((name) => [name, `file:vendor/uncaged/${name.slice(9)}.tgz`]),
    );
    expect({ ...expected, ...manifest.dependencies, ...manifest.devDependencies }).toEqual({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...expected,
    });
    expect(manifest.overrides).toEqual(expected);
    const project = await projectOf(template, packages);
    expect(parse(project.get("pnpm-workspace.yaml") ?? "")).toEqual({
      allowBuilds: { "xxhash-addon": false },
      overrides: expected,
    });
    expect(project.get("vendor/uncaged/inner.tgz")).toBe("/carried/inner.tgz");
    expect(project.get("vendor/uncaged/packages.json")).toBe("/carried/packages.json");
  });

  test("declares what it imports", async () => {
    const manifest = await manifestOf(template);
    for (const [path, text] of await projectOf(template)) {
      const known = path.startsWith("src/")
        ? manifest.dependencies
        : { ...manifest.dependencies, ...manifest.devDependencies };
      for (const [, name = ""] of text.matchAll(/from "(@uncaged\/[^"]+|zod)"/g)) {
        expect([path, Object.keys(known)]).toEqual([path, expect.arrayContaining([name])]);
      }
    }
  });

  test("uses its own name everywhere", async () => {
    const files = await projectOf(template);
    expect((await manifestOf(template)).name).toBe("reviews");
    expect([...files.values()].join("")).not.toMatch(/my-flows|0\.0\.0"\s*,\s*"@uncaged/);
    expect(files.get("README.md")).toContain("# reviews");
    expect([...files.keys()]).toContain(".gitignore");
  });
});

describe("the project of template yaml", () => {
  test("has no code to build, and uses its own name", async () => {
    const files = await projectOf("yaml");
    expect([...files.keys()]).toEqual([
      "README.md",
      "answers.json",
      "flow.yaml",
      "practice.mjs",
      "workflow.schema.json",
    ]);
    expect(files.get("README.md")).toContain("workflow add reviews flow.yaml");
  });

  test("has a JSON Schema that tells editors what may be written", async () => {
    const files = await projectOf("yaml");
    const schema = z.fromJSONSchema(JSON.parse(files.get("workflow.schema.json") ?? ""));
    const flow: unknown = parse(files.get("flow.yaml") ?? "");
    expect(schema.safeParse(flow)).toMatchObject({ success: true });
    const golden = `${repository}packages/register/src/yaml/golden/greeting.yaml`;
    expect(schema.safeParse(parse(readFileSync(golden, "utf8")))).toMatchObject({ success: true });
    expect(schema.safeParse({ ...Object(flow), name: "x" })).toMatchObject({ success: false });
    expect(schema.safeParse({ ...Object(flow), graph: {} })).toMatchObject({ success: false });
  });
});
