/** Workflows by name, from the first version to the last. The keys of the JSON documents are a contract. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

const HASH = /^[0-9A-F][0-9A-HJKMNP-TV-Z]{12}$/;
const SHA256 = /^[0-9a-f]{64}$/;

let cli: Cli;
beforeAll(() => {
  cli = openCli();
});
afterAll(() => cli.close());

type Version = { hash: string; timestamp: number };

describe("a workflow", () => {
  let first: { hash: string; previous: string | null };
  let second: { hash: string; previous: string | null };

  it("is unknown before it is added", async () => {
    expect(await cli.json(["workflow", "list"])).toEqual({ workflows: [] });
    for (const command of ["show", "history", "rollback", "rm"]) {
      const failure = await cli.fails(["workflow", command, "review"]);
      expect(failure).toMatchObject({ exit: 1, code: "WORKFLOW_NOT_FOUND" });
      expect(failure.hint).toContain("uncaged-workflow workflow add");
    }
  });

  it("is built to a file with its descriptor beside it, and added", async () => {
    first = await cli.addSteps("review", "the first version");
    expect(first).toEqual({
      name: "review",
      hash: expect.stringMatching(HASH),
      sha256: expect.stringMatching(SHA256),
      previous: null,
    });
    const built = await cli.json<{ descriptorFile: string }>([
      "workflow",
      "build",
      "flow/steps.mjs",
    ]);
    expect(built).toEqual({
      file: join(cli.dir, "flow", "dist", "steps.esm.js"),
      hash: first.hash,
      sha256: expect.stringMatching(SHA256),
      descriptorFile: join(cli.dir, "flow", "dist", "steps.descriptor.json"),
      externals: ["@uncaged/workflow-runtime"],
    });
    const descriptor: unknown = JSON.parse(readFileSync(built.descriptorFile, "utf8"));
    expect(descriptor).toMatchObject({ description: "the first version" });
  });

  it("lists its versions in order, each only once", async () => {
    expect(await cli.addSteps("review", "the first version")).toMatchObject({
      hash: first.hash,
      previous: first.hash,
    });
    second = await cli.addSteps("review", "the second version");
    expect(second.previous).toBe(first.hash);
    const { workflows } = await cli.json<{ workflows: Version[] }>(["workflow", "list"]);
    expect(workflows).toEqual([
      { name: "review", hash: second.hash, timestamp: expect.any(Number) },
    ]);
    expect(await cli.json(["workflow", "history", "review"])).toEqual({
      name: "review",
      hash: second.hash,
      history: [{ hash: first.hash, timestamp: expect.any(Number) }],
    });
  });

  it("is shown with its roles and rules", async () => {
    const shown = await cli.json(["workflow", "show", "review"]);
    expect(shown).toMatchObject({
      name: "review",
      hash: second.hash,
      timestamp: expect.any(Number),
      history: [{ hash: first.hash, timestamp: expect.any(Number) }],
      descriptor: {
        description: "the second version",
        roles: { worker: { description: "does one step" }, checker: {} },
        graph: {
          edges: expect.arrayContaining([
            expect.objectContaining({ from: "__start__", to: "worker" }),
          ]),
        },
      },
    });
    const { stdout } = await cli.run(["workflow", "show", "review"]);
    for (const text of ["the second version", "checker", "asks", "last.meta.ask", first.hash]) {
      expect(stdout).toContain(text);
    }
  });

  it("is rolled back to an earlier version, and forward again", async () => {
    expect(await cli.json(["workflow", "rollback", "review"])).toEqual({
      name: "review",
      hash: first.hash,
      previous: second.hash,
    });
    expect(await cli.json(["workflow", "rollback", "review", second.hash])).toEqual({
      name: "review",
      hash: second.hash,
      previous: first.hash,
    });
    expect(await cli.fails(["workflow", "rollback", "review", "0000000000000"])).toMatchObject({
      exit: 1,
      code: "WORKFLOW_NO_VERSION",
    });
  });

  it("keeps what a person wrote into the file, which only its owner may read", async () => {
    const file = join(cli.root, "workflow.yaml");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `# mine\nconfig:\n  maxDepth: 5 # deep\n  custom: 1\n${text}`);
    await cli.addSteps("review", "the third version");
    const kept = readFileSync(file, "utf8");
    for (const line of ["# mine", "maxDepth: 5 # deep", "custom: 1"]) expect(kept).toContain(line);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("can be removed, and its threads continue with the version they have", async () => {
    await cli.json(["run", "review", "--wait"]);
    const { threadId } = await cli.json<{ threadId: string }>(["run", "review", "--idle"]);
    const removed = await cli.json<{ unfinishedThreads: string[] }>(["workflow", "rm", "review"]);
    expect(removed).toMatchObject({ name: "review", unfinishedThreads: [threadId] });
    expect(await cli.json(["workflow", "list"])).toEqual({ workflows: [] });
    expect(await cli.json(["thread", "exec", threadId])).toMatchObject({ status: "idle" });
  });

  it("with a rule that will get slow is registered with a warning", async () => {
    await cli.addSteps("slow");
    const source = readFileSync(join(cli.dir, "flow", "steps.mjs"), "utf8");
    const rule = "$count(steps[role = 'worker'][$$.steps[role = 'worker'].meta.left > 0]) > 0";
    const slow = source.replace("last.meta.left > 0", () => rule);
    expect(slow).not.toBe(source);
    writeFileSync(join(cli.dir, "flow", "slow.mjs"), slow);
    const { code, stderr } = await cli.run(["workflow", "build", "flow/slow.mjs", "--json"]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^warning: the rule .*slow/)]);
  });
});

describe("a build that fails", () => {
  it("names file and line, and writes nothing", async () => {
    writeFileSync(join(cli.dir, "broken.ts"), "export const run = ;\n");
    const failure = await cli.fails(["workflow", "build", "broken.ts", "--out", "out.esm.js"]);
    expect(failure).toMatchObject({ exit: 1, code: "BUILD_FAILED" });
    expect(failure.message).toMatch(/broken\.ts:1:\d+/);
    expect(() => statSync(join(cli.dir, "out.esm.js"))).toThrow();
  });
});
