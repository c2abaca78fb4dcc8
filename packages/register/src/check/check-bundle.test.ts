import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ok } from "@uncaged/workflow-protocol";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  bundleSource,
  DESCRIPTOR,
  emptyBase,
  lockedChildren,
  plant,
  scratchFolder,
} from "../scratch.test.helper.ts";
import { checkBundle } from "./check-bundle.ts";
import { LOCKED_LIMITS } from "./run-locked-child.ts";

type Setting = { source: string; install?: (folder: string) => void; importMs?: number };

function check({ source, install, importMs }: Setting): ReturnType<typeof checkBundle> {
  const folder = scratchFolder(onTestFinished);
  install?.(folder);
  return checkBundle({
    bytes: Buffer.from(source),
    place: "flow.esm.js",
    bases: { root: join(folder, "root"), packagesBase: emptyBase(folder) },
    sidecar: null,
    checkRule: () => null,
    limits: { ...LOCKED_LIMITS, importMs: importMs ?? LOCKED_LIMITS.importMs },
  });
}

/** A package `@uncaged/greeting` below a folder, which imports another one that only it can resolve. */
function installGreeting(folder: string, said: string): void {
  const packages = "node_modules/@uncaged/greeting";
  plant(folder, {
    [`${packages}/package.json`]: JSON.stringify({
      name: "@uncaged/greeting",
      version: "1.2.3",
      type: "module",
      exports: { ".": "./index.js", "./loud": "./loud.js" },
      dependencies: { inner: "*" },
    }),
    [`${packages}/index.js`]: `import { inner } from "inner"; export const greeting = ${JSON.stringify(said)} + inner;`,
    [`${packages}/loud.js`]: 'export { greeting } from "./index.js"; export const loud = true;',
    [`${packages}/node_modules/inner/package.json`]:
      '{ "name": "inner", "type": "module", "exports": "./i.js" }',
    [`${packages}/node_modules/inner/i.js`]: 'export const inner = "!";',
  });
}

// Processes are started, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const greeting = (text: string): string =>
  bundleSource(`${text} if (greeting !== EXPECTED) throw new Error(greeting);`);

describe("checking a bundle", () => {
  it("returns its names, its descriptor and what it imports", async () => {
    const source = bundleSource(
      'import fs from "node:fs"; import path from "path"; console.log("hello", fs.constants, path.sep);',
    );
    expect(await check({ source })).toEqual(
      ok({
        bytes: Buffer.from(source),
        hash: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{13}$/),
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        descriptor: DESCRIPTOR,
        externals: [],
      }),
    );
  });

  it("lets it do what honest libraries do at import: look around, extend classes, create agents", async () => {
    const source = bundleSource(`
import { Agent } from "node:https";
import { Socket } from "node:net";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir, cpus } from "node:os";
class Mine extends Socket {}
class Tuned extends WebSocket {}
export { agent as unused };
const agent = new Agent({ keepAlive: true });
const seen = [Mine, Tuned, spawn.name, existsSync("/etc/hostname"), tmpdir(), cpus(), process.env.HOME, process.version, globalThis.fetch];
await new Promise((resolve) => setTimeout(resolve, 10));
setInterval(() => seen, 1000);
`).replace("export { agent as unused };", "");
    expect(await check({ source })).toMatchObject({ ok: true });
  });

  it("sees nothing of our environment and none of our files", async () => {
    process.env.REGISTER_TEST_SECRET = "hidden";
    onTestFinished(() => {
      delete process.env.REGISTER_TEST_SECRET;
    });
    const source = bundleSource(
      "throw new Error(Object.keys(process.env).join() + process.cwd() + process.argv.length);",
    );
    const checked = await check({ source });
    expect(!checked.ok && checked.error.message).not.toContain("REGISTER_TEST_SECRET");
    expect(!checked.ok && checked.error.message).toMatch(
      /: Error: (?:PWD,|OLDPWD,|SHLVL,|_,|PWD|OLDPWD|SHLVL|_)*\/2 /,
    );
  });

  it("kills one that sleeps, or waits for a timer, when its time is up; no process is left", async () => {
    const sleeps = bundleSource("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);");
    const waits = bundleSource("await new Promise((resolve) => setTimeout(resolve, 60_000));");
    for (const source of [sleeps, waits]) {
      expect(await check({ source, importMs: 200 })).toMatchObject({
        ok: false,
        error: { code: "BUNDLE_TIMEOUT", message: "flow.esm.js was not imported after 0.2 s" },
      });
      expect(lockedChildren()).toEqual([]);
    }
  });
});

describe("the external packages of a bundle", () => {
  const FROM =
    'import { greeting } from "@uncaged/greeting"; import { loud } from "@uncaged/greeting/loud";';

  it("come from the storage root, with everything they import themselves", async () => {
    const checked = await check({
      source: greeting(FROM).replace("EXPECTED", '"root!"'),
      install: (folder) => {
        installGreeting(join(folder, "root"), "root");
        installGreeting(join(folder, "engine"), "engine");
      },
    });
    expect(checked).toMatchObject({ ok: true, value: { externals: ["@uncaged/greeting"] } });
  });

  it("come from the engine's installation when the storage root does not have them", async () => {
    const checked = await check({
      source: greeting(FROM).replace("EXPECTED", '"engine!"'),
      install: (folder) => installGreeting(join(folder, "engine"), "engine"),
    });
    expect(checked).toMatchObject({ ok: true });
  });

  it("come through links anywhere on the way: linked packages, linked folders of packages, a linked root", async () => {
    const checked = await check({
      source: greeting(FROM).replace("EXPECTED", '"linked!"'),
      install: (folder) => {
        installGreeting(join(folder, "workspace"), "linked");
        plant(folder, { "store/keep": "", "real/keep": "" });
        symlinkSync("real", join(folder, "root"));
        symlinkSync("../store", join(folder, "real/node_modules"));
        mkdirSync(join(folder, "store/@uncaged"));
        symlinkSync(
          "../../workspace/node_modules/@uncaged/greeting",
          join(folder, "store/@uncaged/greeting"),
        );
      },
    });
    expect(checked).toMatchObject({ ok: true });
  });

  it("come through links where one name is a prefix of another, as pnpm lays them out", async () => {
    const link = (folder: string, name: string, of: string): void => {
      mkdirSync(join(folder, "engine/node_modules/.store", of, "node_modules/@uncaged"), {
        recursive: true,
      });
      symlinkSync(
        `../../../${name}/node_modules/@uncaged/${name}`,
        join(folder, "engine/node_modules/.store", of, "node_modules/@uncaged", name),
      );
    };
    const place = (name: string, dependencies: readonly string[], code: string) => ({
      [`engine/node_modules/.store/${name}/node_modules/@uncaged/${name}/package.json`]:
        JSON.stringify({
          name: `@uncaged/${name}`,
          type: "module",
          exports: "./index.js",
          dependencies: Object.fromEntries(dependencies.map((each) => [`@uncaged/${each}`, "*"])),
        }),
      [`engine/node_modules/.store/${name}/node_modules/@uncaged/${name}/index.js`]: code,
    });
    const checked = await check({
      source: bundleSource(
        'import { word } from "@uncaged/greeting"; if (word !== "hi") throw word;',
      ),
      install: (folder) => {
        plant(folder, {
          ...place("greeting", ["word", "word-list"], 'export { word } from "@uncaged/word";'),
          ...place("word-list", [], 'export const words = ["hi"];'),
          ...place(
            "word",
            ["word-list"],
            'import { words } from "@uncaged/word-list"; export const [word] = words;',
          ),
        });
        link(folder, "word", "greeting");
        link(folder, "word-list", "greeting");
        link(folder, "word-list", "word");
        mkdirSync(join(folder, "engine/node_modules/@uncaged"));
        symlinkSync(
          "../.store/greeting/node_modules/@uncaged/greeting",
          join(folder, "engine/node_modules/@uncaged/greeting"),
        );
      },
    });
    expect(checked).toMatchObject({ ok: true });
  });

  it("that it requires instead of importing are refused: they could not be listed", async () => {
    const source = greeting(
      'import { createRequire } from "node:module"; const { greeting } = createRequire(import.meta.url)("@uncaged/greeting");',
    );
    const checked = await check({
      source: source.replace("EXPECTED", '"root!"'),
      install: (folder) => {
        installGreeting(join(folder, "root"), "root");
        installGreeting(join(folder, "engine"), "engine");
      },
    });
    expect(checked).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("reads a file") },
    });
  });

  it("that are too old for it are named", async () => {
    const checked = await check({
      source: bundleSource('import { brandNew } from "@uncaged/greeting"; brandNew();'),
      install: (folder) => installGreeting(join(folder, "engine"), "engine"),
    });
    expect(checked).toMatchObject({
      ok: false,
      error: {
        code: "BUNDLE_INVALID",
        message: expect.stringContaining(
          "The requested module '@uncaged/greeting' does not provide an export named 'brandNew'",
        ),
      },
    });
  });
});
