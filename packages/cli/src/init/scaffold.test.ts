/** The projects that `init` copies are real ones: they are compiled and tested where they lie. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { projectFiles } from "./project-files.ts";
import { CODE_TEMPLATES, type Template } from "./templates.ts";

const repository = fileURLToPath(new URL("../../../../", import.meta.url));
const run = promisify(execFile);

type Manifest = {
  name: string;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

async function projectOf(template: Template): Promise<Map<string, string>> {
  const files = await projectFiles({ template, name: "reviews", version: "9.8.7" });
  return new Map(files.map(({ path, text }) => [path, text]));
}

async function manifestOf(template: Template): Promise<Manifest> {
  const manifest: Manifest = JSON.parse((await projectOf(template)).get("package.json") ?? "");
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

  test("has the packages of this release, and of others what this release is made with", async () => {
    const { dependencies, devDependencies } = await manifestOf(template);
    const workspace: { catalog: Record<string, string> } = parse(
      readFileSync(`${repository}pnpm-workspace.yaml`, "utf8"),
    );
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      const expected = name.startsWith("@uncaged/") ? "9.8.7" : workspace.catalog[name];
      expect([name, version.replace(/^\^/, "")]).toEqual([name, expected?.replace(/^\^/, "")]);
    }
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

  test("bears its own name wherever it is spoken of", async () => {
    const files = await projectOf(template);
    expect((await manifestOf(template)).name).toBe("reviews");
    expect([...files.values()].join("")).not.toMatch(/my-flows|0\.0\.0"\s*,\s*"@uncaged/);
    expect(files.get("README.md")).toContain("# reviews");
    expect([...files.keys()]).toContain(".gitignore");
  });
});

describe("the project of template yaml", () => {
  test("holds no code to build, and bears its own name", async () => {
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

  test("tells editors by a JSON Schema what may be written", async () => {
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
