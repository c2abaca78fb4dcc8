/** A thread runs with the same packages as before, or with different ones that are recorded. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

const RUNTIME = "@uncaged/workflow-runtime";
const ENGINES_OWN = import.meta.resolve(RUNTIME);

let cli: Cli;
let hash = "";
beforeAll(async () => {
  cli = openCli();
  ({ hash } = await cli.addSteps("steps"));
});
afterAll(() => cli.close());

/** Puts a runtime of another version into the storage root; it behaves like the engine's own. */
function install(version: string): void {
  const folder = join(cli.root, "node_modules", RUNTIME);
  mkdirSync(folder, { recursive: true });
  const manifest = { name: RUNTIME, version, type: "module", exports: "./index.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.js"), `export * from ${JSON.stringify(ENGINES_OWN)};\n`);
}

function askFor(dependencies: { [name: string]: string }): void {
  writeFileSync(join(cli.root, "package.json"), JSON.stringify({ private: true, dependencies }));
}

it("another version of a package is refused at resume, and runs once it is recorded", async () => {
  const { threadId } = await cli.json<{ threadId: string }>(["run", "steps", "-p", "{}", "--idle"]);
  expect(await cli.json(["thread", "exec", threadId])).toMatchObject({ status: "idle" });
  install("99.1.0");
  askFor({ [RUNTIME]: "99.1.0" });
  for (const verb of ["exec", "resume"]) {
    const refusal = await cli.fails(["thread", verb, threadId]);
    expect(refusal).toMatchObject({ exit: 1, code: "EXTERNALS_CHANGED" });
    expect(refusal.message).toMatch(/@uncaged\/workflow-runtime \S+ is 99\.1\.0 now/);
    expect(refusal.hint).toContain(`thread upgrade ${threadId} --to ${hash}`);
  }
  expect(await cli.json(["thread", "upgrade", threadId, "--to", hash])).toMatchObject({
    from: hash,
    to: hash,
  });
  expect(await cli.fails(["thread", "upgrade", threadId, "--to", hash])).toMatchObject({
    code: "TRANSITION_INVALID",
  });
  await cli.json(["thread", "exec", threadId, "--count", "9"]);
  expect(await cli.json(["thread", "show", threadId])).toMatchObject({ status: "completed" });
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
});

it("packages that npm installed as dependencies belong to their dependents only", async () => {
  install("99.2.0");
  askFor({ "their-agent": "1.0.0" });
  const { threadId } = await cli.json<{ threadId: string }>(["run", "steps", "-p", "{}", "--wait"]);
  const { head } = await cli.json<{ head: string }>(["thread", "show", threadId]);
  const last = await cli.json<{ payload: { start: string } }>(["cas", "show", head]);
  const start = await cli.json<{ payload: { externals: { [name: string]: string } } }>([
    ...["cas", "show", last.payload.start],
  ]);
  expect(Object.keys(start.payload.externals)).toContain(RUNTIME);
  expect(start.payload.externals[RUNTIME]).not.toBe("99.2.0");
});

it("an agent's package that calls itself one of the engine's is refused", async () => {
  const folder = join(cli.dir, "poser");
  mkdirSync(folder);
  const manifest = { name: RUNTIME, version: "1.0.0", type: "module", exports: "./index.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(
    join(folder, "index.js"),
    "export const agent = { name: 'poser', create: () => () => {}, probe: async () => ({}) };\n",
  );
  expect(await cli.fails(["agent", "add", "./poser"])).toMatchObject({
    code: "INSTALL_FAILED",
    message: expect.stringContaining(RUNTIME),
  });
});
