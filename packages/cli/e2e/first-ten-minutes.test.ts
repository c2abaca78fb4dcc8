/** What a newcomer does, with what a newcomer has: npm, an empty folder outside this repository, and the packages
 *  as they are published. Everything is done by the installed command. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PackedRegistry, servePackages } from "./packed-registry.test.helper.ts";
import { runBash, type ShellRun, shownCommands } from "./shell.test.helper.ts";

let folder = "";
let registry: PackedRegistry;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "uwf-newcomer-"));
  mkdirSync(join(folder, "tarballs"));
  registry = await servePackages(join(folder, "tarballs"));
  // As `npm install --global` would, but inside the folder.
  await succeeds(`mkdir tool && cd tool && npm init --yes && npm install @uncaged/cli-workflow`);
});
afterAll(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

function shell(script: string): Promise<ShellRun> {
  const path = [
    join(folder, "tool", "node_modules", ".bin"),
    dirname(process.execPath),
    process.env.PATH,
  ];
  return runBash(script, {
    cwd: folder,
    env: {
      ...networkSettings(),
      PATH: path.join(delimiter),
      HOME: folder,
      WORKFLOW_STORAGE_ROOT: join(folder, "root"),
      npm_config_cache: join(folder, "npm-cache"),
      npm_config_update_notifier: "false",
      npm_config_audit: "false",
      npm_config_fund: "false",
      "npm_config_@uncaged:registry": registry.url,
    },
  });
}

/** How this machine reaches a registry: npm's own settings, proxies, certificates. */
function networkSettings(): NodeJS.ProcessEnv {
  const settings =
    /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|(?:https?|no|all)_proxy|npm_config_registry)$/i;
  const found = Object.entries(process.env).filter(([name]) => settings.test(name));
  return { ...Object.fromEntries(found), npm_config_userconfig: join(homedir(), ".npmrc") };
}

async function succeeds(script: string): Promise<string> {
  const { code, stdout, stderr } = await shell(script);
  if (code !== 0) throw new Error(`exit ${code} of:\n${script}\n${stdout}\n${stderr}`);
  return stdout;
}

async function json<T>(script: string): Promise<T> {
  const document: T = JSON.parse(await succeeds(script));
  return document;
}

describe("in the first ten minutes", () => {
  it("a project is made that tests, type-checks, builds, registers and runs at once", async () => {
    await succeeds("uncaged-workflow init my-flows");
    const readme = readFileSync(join(folder, "my-flows", "README.md"), "utf8");
    const [beginning = "", further = ""] = shownCommands(readme);
    expect(await succeeds(`cd my-flows\n${beginning}`)).toContain("completed");
    const shown = await succeeds(`cd my-flows\n${further}`);
    expect(shown).toContain("ok");
  });

  it("a thread is verified, by the command that is installed and by the project's own", async () => {
    const { threads } = await json<{ threads: { threadId: string; status: string }[] }>(
      "uwf thread list my-flows --status completed --json",
    );
    const [thread] = threads;
    expect(threads.length).toBeGreaterThanOrEqual(2);
    for (const command of ["uncaged-workflow", "npx --prefix my-flows uwf"]) {
      expect(await json(`${command} thread verify ${thread?.threadId} --json`)).toMatchObject({
        ok: true,
        problems: [],
      });
    }
    expect(await json("uwf doctor --json")).toMatchObject({ ok: true });
    expect(await json("uwf cas fsck --json")).toMatchObject({ ok: true });
  });

  it("the same sources give the same bundle in another project", async () => {
    await succeeds(
      "mkdir other && cp -r my-flows/src my-flows/node_modules my-flows/package.json other",
    );
    const build = "npx uncaged-workflow workflow build src/workflow.ts --json";
    const first = await json<{ hash: string }>(`cd my-flows; ${build}`);
    const second = await json<{ hash: string }>(`cd other; ${build}`);
    expect(second.hash).toBe(first.hash);
  });

  it("a project of the develop template tests, type-checks, builds and registers, too", async () => {
    await succeeds("uncaged-workflow init devel --template develop");
    const readme = readFileSync(join(folder, "devel", "README.md"), "utf8");
    expect(await succeeds(`cd devel\n${shownCommands(readme).join("")}`)).toContain("devel is");
  });

  it("what the author's skill shows compiles", async () => {
    const text = await succeeds("uncaged-workflow skill author");
    const modules = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
    expect(modules.length).toBeGreaterThan(2);
    for (const [at, code] of modules.entries()) {
      writeFileSync(join(folder, "my-flows", "src", `shown-${at}.ts`), code);
    }
    await succeeds("cd my-flows; npm run check; rm src/shown-*");
  });

  it("what the author's skill tells to do works", async () => {
    const session = shownCommands(await succeeds("uncaged-workflow skill author"));
    await succeeds(`mkdir author; cd author\n${session.join("")}`);
  });
});
