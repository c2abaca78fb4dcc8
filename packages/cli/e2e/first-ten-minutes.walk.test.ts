/** A newcomer's first ten minutes, with what a newcomer has: npm, an empty folder outside this repository, and the
 *  packages as they are published. Everything is done by the installed command. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Newcomer, openNewcomer } from "./newcomer.test.helper.ts";
import { shownCommands } from "./shell.test.helper.ts";

let newcomer: Newcomer;
beforeAll(async () => {
  newcomer = await openNewcomer();
  await succeeds("npm install --global @uncaged/cli-workflow");
});
afterAll(() => newcomer.close());

const succeeds = (script: string): Promise<string> => newcomer.succeeds(script);

describe("in the first ten minutes", () => {
  it("a new project tests, type-checks, builds, registers and runs right away", async () => {
    await succeeds("uncaged-workflow init my-flows");
    const readme = readFileSync(join(newcomer.folder, "my-flows", "README.md"), "utf8");
    const [beginning = "", further = ""] = shownCommands(readme);
    expect(await succeeds(`cd my-flows\n${beginning}`)).toContain("completed");
    const shown = await succeeds(`cd my-flows\n${further}`);
    expect(shown).toContain("ok");
  });

  it("a thread is verified, by the command that is installed and by the project's own", async () => {
    const { threads } = await newcomer.json<{ threads: { threadId: string; status: string }[] }>(
      "uwf thread list my-flows --status completed --json",
    );
    const [thread] = threads;
    expect(threads.length).toBeGreaterThanOrEqual(2);
    for (const command of ["uncaged-workflow", "npx --prefix my-flows uwf"]) {
      expect(
        await newcomer.json(`${command} thread verify ${thread?.threadId} --json`),
      ).toMatchObject({
        ok: true,
        problems: [],
      });
    }
    expect(await newcomer.json("uwf doctor --json")).toMatchObject({ ok: true });
    expect(await newcomer.json("uwf cas fsck --json")).toMatchObject({ ok: true });
  });

  it("the same sources give the same bundle in another project", async () => {
    await succeeds(
      "mkdir other && cp -r my-flows/src my-flows/node_modules my-flows/package.json other",
    );
    const build = "npx uncaged-workflow workflow build src/workflow.ts --json";
    const first = await newcomer.json<{ hash: string }>(`cd my-flows; ${build}`);
    const second = await newcomer.json<{ hash: string }>(`cd other; ${build}`);
    expect(second.hash).toBe(first.hash);
  });

  it("a project from the develop template also tests, type-checks, builds and registers", async () => {
    await succeeds("uncaged-workflow init devel --template develop");
    const readme = readFileSync(join(newcomer.folder, "devel", "README.md"), "utf8");
    expect(await succeeds(`cd devel\n${shownCommands(readme).join("")}`)).toContain("devel is");
  });

  it("what the author's skill shows compiles", async () => {
    const text = await succeeds("uncaged-workflow skill author");
    const modules = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
    expect(modules.length).toBeGreaterThan(2);
    for (const [at, code] of modules.entries()) {
      writeFileSync(join(newcomer.folder, "my-flows", "src", `shown-${at}.ts`), code);
    }
    await succeeds("cd my-flows; npm run check; rm src/shown-*");
  });

  it("the instructions of the author's skill work", async () => {
    const session = shownCommands(await succeeds("uncaged-workflow skill author"));
    await succeeds(`mkdir author; cd author\n${session.join("")}`);
  });
});
