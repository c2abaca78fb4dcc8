import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { emptyBase, plant, scratchFolder } from "../scratch.test.helper.ts";
import { hooksEnvironment, hooksUrl } from "./hooks.ts";
import { resolveExternals } from "./resolve-externals.ts";

// Processes are started, perhaps on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const BUNDLE = "root/bundles/0123456789ABC/bundle.esm.js";

/** `@uncaged/where` in several places, each exporting which one it is. */
function installWhere(folder: string, places: readonly string[]): void {
  for (const place of places) {
    plant(join(folder, place, "node_modules/@uncaged/where"), {
      "package.json": `{ "name": "@uncaged/where", "version": "1.0.0-${place}", "type": "module", "exports": { ".": "./index.js", "./sub": "./sub.js" } }`,
      "index.js": `export const where = ${JSON.stringify(place)};`,
      "sub.js": `export const where = ${JSON.stringify(`${place}/sub`)};`,
    });
  }
}

/** Runs a module of `folder` the way a runner is started, and returns its output. */
function run(folder: string, module: string, env: NodeJS.ProcessEnv = {}): string {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", "--import", hooksUrl, join(folder, module)],
    {
      encoding: "utf8",
      env: {
        PATH: process.env.PATH,
        ...hooksEnvironment(join(folder, "root"), emptyBase(folder)),
        ...env,
      },
    },
  );
  return status === 0 ? stdout.trim() : stderr;
}

const PRINT = 'import { where } from "@uncaged/where"; console.log(where);';

describe("the hooks", () => {
  it("resolve a bundle's import to the storage root's own package before the engine's", () => {
    const folder = scratchFolder(onTestFinished);
    installWhere(folder, ["root", "engine"]);
    plant(folder, { [BUNDLE]: PRINT });
    expect(run(folder, BUNDLE)).toBe("root");
  });

  it("resolve it to the engine's when the storage root has none, also for require and sub-paths", () => {
    const folder = scratchFolder(onTestFinished);
    installWhere(folder, ["engine"]);
    plant(folder, {
      [BUNDLE]: `import { createRequire } from "node:module"; import { where } from "@uncaged/where/sub";
        const required = createRequire(import.meta.url)("@uncaged/where");
        const lazy = await import("@uncaged/where");
        console.log(where, required.where, lazy.where);`,
    });
    expect(run(folder, BUNDLE)).toBe("engine/sub engine engine");
  });

  it("do not search above the storage root before the engine", () => {
    const folder = scratchFolder(onTestFinished);
    installWhere(folder, [".", "engine"]);
    plant(folder, { [BUNDLE]: PRINT });
    expect(run(folder, BUNDLE)).toBe("engine");
  });

  it("leave every other module alone: the engine keeps its own packages", () => {
    const folder = scratchFolder(onTestFinished);
    installWhere(folder, ["root", "engine"]);
    plant(folder, { "engine/cli.js": PRINT });
    expect(run(folder, "engine/cli.js")).toBe("engine");
  });

  it("have what is loaded after them compiled once", () => {
    const folder = scratchFolder(onTestFinished);
    const print =
      'import { getCompileCacheDir } from "node:module"; console.log(getCompileCacheDir());';
    plant(folder, { [BUNDLE]: print });
    expect(run(folder, BUNDLE, { TMPDIR: folder })).toContain(folder);
  });

  it("reach worker threads, and leave nothing in the environment", () => {
    const folder = scratchFolder(onTestFinished);
    installWhere(folder, ["root"]);
    plant(folder, {
      [BUNDLE]: `import { Worker, isMainThread } from "node:worker_threads"; import { where } from "@uncaged/where";
        console.log(where, Object.keys(process.env).filter((name) => name.startsWith("UNCAGED")).length);
        if (isMainThread) new Worker(new URL(import.meta.url));`,
    });
    expect(run(folder, BUNDLE)).toBe("root 0\nroot 0");
  });

  it("do no harm to a program that inherits the flag without the variable, or with a broken one", () => {
    const folder = scratchFolder(onTestFinished);
    plant(folder, { [BUNDLE]: 'console.log("fine");' });
    for (const text of [
      "",
      "not JSON",
      "null",
      '{"bundles":1}',
      '{"bundles":"x","bases":{"root":1}}',
    ]) {
      expect(run(folder, BUNDLE, { UNCAGED_EXTERNAL_HOOKS: text })).toBe("fine");
    }
  });

  it("say which package is missing", () => {
    const folder = scratchFolder(onTestFinished);
    plant(folder, { [BUNDLE]: PRINT });
    expect(run(folder, BUNDLE)).toContain("Cannot find package '@uncaged/where'");
  });
});

describe("resolving external packages", () => {
  it("returns the versions that the hooks would load", () => {
    const folder = scratchFolder(onTestFinished);
    const bases = { root: join(folder, "root"), packagesBase: emptyBase(folder) };
    installWhere(folder, ["engine"]);
    expect(resolveExternals(["@uncaged/where"], bases)).toEqual({
      ok: true,
      value: { "@uncaged/where": "1.0.0-engine" },
    });
    installWhere(folder, ["root"]);
    expect(resolveExternals(["@uncaged/where"], bases)).toEqual({
      ok: true,
      value: { "@uncaged/where": "1.0.0-root" },
    });
  });

  it("names all that are missing, and how to install them", () => {
    const folder = scratchFolder(onTestFinished);
    installWhere(folder, ["root"]);
    const bases = {
      root: join(folder, "root"),
      packagesBase: pathToFileURL(join(folder, "cli.js")).href,
    };
    expect(resolveExternals(["@uncaged/a", "@uncaged/where", "@uncaged/b"], bases)).toEqual({
      ok: false,
      error: {
        code: "BUNDLE_UNRESOLVED",
        message: "the bundle imports packages that are not installed: @uncaged/a, @uncaged/b",
        hint: `install it into the storage root: npm install --prefix ${JSON.stringify(bases.root)} @uncaged/a @uncaged/b`,
      },
    });
  });
});
