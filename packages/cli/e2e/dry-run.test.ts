/** `run --dry-run`: the table of a registered workflow, followed with stubs. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

const STUBS = `
worker: [{ step: 1, left: 1, ask: false }, { step: 2, left: 0, ask: false }]
checker: [{ ok: true }]
`;
const tryOut = (stubs: string, ...more: string[]): ReturnType<Cli["run"]> =>
  cli.run(["--json", "run", "steps", "--dry-run", "--stubs", "-", ...more], { stdin: stubs });

describe("a dry run", () => {
  it("prints the route, and neither runs nor stores anything", async () => {
    const { code, stdout } = await tryOut(STUBS);
    expect(code).toBe(0);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ workflow: "steps", ok: true, faults: [], unused: [] });
    expect(Object.keys(document)).toEqual([
      ...["workflow", "hash", "ok", "route", "end", "faults", "unused"],
    ]);
    expect(document.route.map(({ to }: { to: string }) => to)).toEqual([
      ...["worker", "worker", "checker", "__end__"],
    ]);
    expect(await cli.json(["thread", "list"])).toEqual({ threads: [] });
    expect(readdirSync(cli.dir)).not.toContain("began");
    expect(readdirSync(cli.root)).not.toContain("cas");
  });

  it("reads a file, and fills prompts in", async () => {
    writeFileSync(join(cli.dir, "stubs.json"), '{"worker":[{"step":7,"left":1,"ask":true}]}');
    const words = ["run", "steps", "--dry-run", "--stubs", "stubs.json", "-p", "go"];
    expect(await cli.json(words)).toMatchObject({
      end: { kind: "suspended", role: "worker", message: "Go on after step 7?" },
    });
  });

  it.each([
    ["worker: [{ step: 1, left: 1, ask: false }]", "out_of_stubs"],
    ["worker: [{ step: one }]", "stub_invalid"],
    ["worker: [{ $fails: timeout }]", "failed"],
    ["worker: { rules: [{ meta: { step: 1, left: 1, ask: false } }] }", "max_steps"],
  ])("exits with 1 where the stubs do not come through: %s", async (stubs, kind) => {
    const { code, stdout } = await tryOut(stubs, "--max-steps", "5");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, end: { kind } });
  });

  it("refuses invalid stubs, missing files, unknown workflows and incomplete calls", async () => {
    const refused = async (...words: string[]): Promise<unknown> =>
      cli.fails(["run", ...words], { stdin: "- 1" });
    const usage = { exit: 2, code: "USAGE" };
    expect(await refused("steps", "--dry-run", "--stubs", "-")).toMatchObject(usage);
    expect(await refused("steps", "--dry-run")).toMatchObject(usage);
    expect(await refused("steps", "--stubs", "-")).toMatchObject(usage);
    expect(await refused("steps", "--dry-run", "--stubs", "nowhere.yaml")).toMatchObject({
      ...{ exit: 2, code: "FILE_NOT_FOUND" },
    });
    writeFileSync(join(cli.dir, "stubs.yaml"), STUBS);
    expect(await refused("nobody", "--dry-run", "--stubs", "stubs.yaml")).toMatchObject({
      ...{ exit: 1, code: "WORKFLOW_NOT_FOUND" },
    });
  });
});
