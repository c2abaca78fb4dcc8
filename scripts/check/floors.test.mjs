import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, test } from "vitest";
import { floorProblems } from "./floors.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const EXECUTE = "@uncaged/workflow-execute";
let copy;

afterEach(() => {
  if (copy !== undefined) rmSync(copy, { recursive: true, force: true });
  copy = undefined;
});

test("the repository keeps to its floors", () => {
  expect(floorProblems(root)).toEqual([]);
});

test("a manifest that names a package of a floor above is refused", () => {
  copy = skeleton();
  declare("packages/cas", "dependencies", EXECUTE);
  expect(floorProblems(copy)).toEqual([
    "packages/cas/package.json: dependencies may not name @uncaged/workflow-execute (cas -> execute)",
  ]);
});

test("a template may use the testkit in tests and nowhere else", () => {
  copy = skeleton();
  declare("templates/develop", "dependencies", "@uncaged/workflow-testkit");
  expect(floorProblems(copy)).toHaveLength(1);
});

test("a list in turbo.json that is not the closure of the table is refused", () => {
  copy = skeleton();
  edit("turbo.json", (turbo) => turbo.boundaries.tags.cas.dependencies.allow.push("execute"));
  expect(floorProblems(copy).join()).toContain('boundaries of "cas"');
});

test("the boundaries are green without a forbidden import and red with one", () => {
  copy = skeleton();
  const file = join(copy, "packages/cas/src/index.ts");
  writeFileSync(file, 'import type { Result } from "@uncaged/workflow-protocol";\n');
  expect(boundaries()).toMatchObject({ status: 0 });
  writeFileSync(file, `import type {} from "${EXECUTE}";\n`);
  const undeclared = boundaries();
  expect(undeclared.status).not.toBe(0);
  expect(undeclared.stdout + undeclared.stderr).toContain(EXECUTE);
});

test("the boundaries are red for a relative import into another package", () => {
  copy = skeleton();
  writeFileSync(
    join(copy, "packages/cas/src/index.ts"),
    'import type {} from "../../execute/src/index.ts";\n',
  );
  expect(boundaries().status).not.toBe(0);
});

test("the boundaries are red for a declared dependency on a floor above", () => {
  copy = skeleton();
  declare("packages/cas", "dependencies", EXECUTE);
  expect(boundaries().status).not.toBe(0);
});

/** The manifests of this repository with one empty source file each: what the floors are about. */
function skeleton() {
  const folder = mkdtempSync(join(tmpdir(), "uwf-floors-"));
  const files = ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml", "turbo.json"];
  for (const group of ["packages", "templates"]) {
    for (const name of readdirSync(join(root, group))) {
      files.push(`${group}/${name}/package.json`, `${group}/${name}/turbo.json`);
      mkdirSync(join(folder, group, name, "src"), { recursive: true });
      writeFileSync(join(folder, group, name, "src/index.ts"), "export {};\n");
    }
  }
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  return folder;
}

function declare(path, section, name) {
  edit(`${path}/package.json`, (manifest) => {
    manifest[section] = { ...manifest[section], [name]: "workspace:*" };
  });
}

function edit(path, change) {
  const file = join(copy, path);
  const value = JSON.parse(readFileSync(file, "utf8"));
  change(value);
  writeFileSync(file, JSON.stringify(value));
}

function boundaries() {
  const turbo = join(root, "node_modules/.bin/turbo");
  return spawnSync(turbo, ["boundaries"], { cwd: copy, encoding: "utf8" });
}
