/** The setup of a user who cloned the repository and linked the command: npm and pnpm, an empty home, and a registry
 *  without our packages. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Newcomer, openNewcomer } from "./newcomer.test.helper.ts";
import { shownCommands } from "./shell.test.helper.ts";

// Third-party packages are fetched, by two package managers, perhaps on a busy machine.
const LIMIT_MS = 400_000;

let newcomer: Newcomer;
beforeAll(async () => {
  newcomer = await openNewcomer({ ours: "linked" });
});
afterAll(() => newcomer.close());

const succeeds = (script: string): Promise<string> => newcomer.succeeds(script);
const read = (path: string): string => readFileSync(join(newcomer.folder, path), "utf8");
const START = `--prompt "Heavy rain is expected in the north tomorrow." --wait --json`;

it("the registry of this test has none of our packages", async () => {
  const { code } = await newcomer.shell("npm view @uncaged/workflow-runtime version");
  expect(code).not.toBe(0);
});

describe.each(["minimal", "develop"])("a project of the template %s", (template) => {
  it.each(["npm", "pnpm"])(
    "is installed, tested, built, registered and run by %s",
    {
      timeout: LIMIT_MS,
    },
    async (manager) => {
      const name = `${template}-${manager}`;
      await succeeds(`uncaged-workflow init ${name} --template ${template}`);
      const [beginning = ""] = shownCommands(read(`${name}/README.md`));
      const typed = beginning
        .replace(/^npm (install|test)/gm, `${manager} $1`)
        .replace(/^npm run/gm, `${manager} run`)
        .replace(/^npx /gm, manager === "npm" ? "npx " : "pnpm exec ");
      const printed = await succeeds(`cd ${name}\n${typed}`);
      expect(printed).toContain(template === "minimal" ? "ended by accepted" : `${name} is`);
    },
  );
});

it("a project can be moved to another machine and installed there from its lock file", {
  timeout: LIMIT_MS,
}, async () => {
  await succeeds("mkdir elsewhere");
  for (const [manager, install] of [
    ["npm", "npm install"],
    ["pnpm", "pnpm install --frozen-lockfile"],
  ] as const) {
    const name = `minimal-${manager}`;
    await succeeds(`cp -r ${name} elsewhere/${name}; cd elsewhere/${name}; rm -r node_modules`);
    const lock = manager === "npm" ? "package-lock.json" : "pnpm-lock.yaml";
    expect(read(`elsewhere/${name}/${lock}`)).not.toContain(newcomer.folder);
    const before = read(`elsewhere/${name}/${lock}`);
    await succeeds(`cd elsewhere/${name}; ${install}; ${manager} test; ${manager} run build`);
    expect(read(`elsewhere/${name}/${lock}`)).toBe(before);
  }
});

it("the command installed in a project creates a project that can itself be installed", {
  timeout: LIMIT_MS,
}, async () => {
  await succeeds("cd minimal-npm; npx uncaged-workflow init ../second");
  await succeeds("cd second; pnpm install; pnpm test; pnpm run build");
});

it("an update moves a project from another release to this one, and leaves its other files alone", {
  timeout: LIMIT_MS,
}, async () => {
  await succeeds("cp -r minimal-npm older; cp -r minimal-pnpm older-pnpm");
  for (const [name, manager] of [
    ["older", "npm"],
    ["older-pnpm", "pnpm"],
  ] as const) {
    const vendor = join(newcomer.folder, name, "vendor/uncaged");
    const current = readdirSync(vendor).sort();
    const tarball = current.find((file) => file.includes("workflow-testkit")) ?? "";
    const older = tarball.replace(/-[0-9a-f]{12}\.tgz$/, "-000000000000.tgz");
    await succeeds(`cd ${name}/vendor/uncaged; mv ${tarball} ${older}`);
    for (const file of ["package.json", "pnpm-workspace.yaml"]) {
      const text = read(`${name}/${file}`).replaceAll(tarball, older);
      writeFileSync(join(newcomer.folder, name, file), text);
    }
    const manifest = JSON.parse(read(`${name}/package.json`));
    manifest.overrides.mine = "1.0.0";
    manifest.scripts.mine = "true";
    writeFileSync(join(newcomer.folder, name, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(newcomer.folder, name, "src/mine.ts"), "export {};\n");
    expect(await newcomer.json(`uncaged-workflow init ${name} --update --json`)).toMatchObject({
      next: [`cd ${name}`, `${manager} install`],
    });
    expect(readdirSync(vendor).sort()).toEqual(current);
    const updated = JSON.parse(read(`${name}/package.json`));
    expect(updated.devDependencies["@uncaged/workflow-testkit"]).toContain(tarball);
    expect([updated.overrides.mine, updated.scripts.mine]).toEqual(["1.0.0", "true"]);
    expect(read(`${name}/pnpm-workspace.yaml`)).toContain("# For pnpm");
    expect(existsSync(join(newcomer.folder, name, "src/mine.ts"))).toBe(true);
    await succeeds(`cd ${name}; ${manager} install --no-frozen-lockfile; ${manager} test`);
  }
});

it("updating a folder that is not a project changes nothing", async () => {
  mkdirSync(join(newcomer.folder, "plain"));
  writeFileSync(join(newcomer.folder, "plain/package.json"), '{ "name": "plain" }');
  const { code, stderr } = await newcomer.shell("uncaged-workflow init plain --update");
  expect([code, stderr]).toEqual([2, expect.stringContaining("depends on no @uncaged package")]);
  expect(readdirSync(join(newcomer.folder, "plain"))).toEqual(["package.json"]);
  rmSync(join(newcomer.folder, "plain"), { recursive: true });
});

it("a workflow without code is registered and run, with an agent that needs no download", async () => {
  await succeeds("uncaged-workflow init plain-words --template yaml");
  const [agent = "", flow = ""] = shownCommands(read("plain-words/README.md"));
  const printed = await succeeds(
    `cd plain-words\nnpm_config_registry=http://127.0.0.1:9/ npm_config_offline=true\n${agent}${flow}`,
  );
  expect(printed).toContain("ended by good");
  expect(await newcomer.json(`uncaged-workflow run minimal-pnpm ${START}`)).toMatchObject({
    status: "completed",
  });
});
