/** Workflows written as YAML, from the file to a verified thread, by the built command. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

const SCAFFOLD = fileURLToPath(new URL("../scaffold/yaml/", import.meta.url));

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  cpSync(SCAFFOLD, cli.dir, { recursive: true });
  mkdirSync(cli.root, { recursive: true });
  const options = { command: process.execPath, args: ["practice.mjs"], output: "json" };
  const agents = { practice: { package: "@uncaged/workflow-agent-command", options } };
  writeFileSync(join(cli.root, "workflow.yaml"), JSON.stringify({ config: { agents } }), {
    mode: 0o600,
  });
  await cli.json(["workflow", "add", "greet", "flow.yaml"]);
});
afterAll(() => cli.close());

const FLOW = readFileSync(join(SCAFFOLD, "flow.yaml"), "utf8");

type Ended = { threadId: string; status: string; summary: string };

describe("a workflow written as YAML", () => {
  it("runs to its end, and its thread is verified", async () => {
    const ended = await cli.json<Ended>(["run", "greet", "--prompt", "Greet Ada", "--wait"]);
    expect(ended.status).toBe("completed");
    expect(await cli.json(["thread", "verify", ended.threadId])).toMatchObject({ ok: true });
    const { steps } = await cli.json<{ steps: { route: { condition: string; prompt: string } }[] }>(
      ["thread", "show", ended.threadId],
    );
    expect(steps.map(({ route }) => route.condition)).toEqual([
      "FALLBACK",
      "written",
      "not-good",
      "written",
    ]);
    expect(steps[2]?.route.prompt).toBe("Write it again: It does not name the reader.");
  });

  it("is the same bundle built or added, in any folder", async () => {
    const other = join(cli.dir, "other");
    mkdirSync(other);
    writeFileSync(join(other, "a.yml"), FLOW);
    const added = await cli.json<{ hash: string }>(["workflow", "add", "again", "flow.yaml"]);
    const built = await cli.json<{ hash: string; file: string; externals: string[] }>([
      ...["workflow", "build", "other/a.yml", "--out", "other/a.mjs"],
    ]);
    expect(built).toMatchObject({ hash: added.hash, externals: ["@uncaged/workflow-runtime"] });
    expect(await cli.json(["workflow", "add", "built", built.file])).toMatchObject({
      hash: added.hash,
    });
  });

  it("is checked before it has a name", async () => {
    const checked = await cli.json<{ name: string; ok: boolean }>([
      "workflow",
      "check",
      "flow.yaml",
    ]);
    expect(checked).toMatchObject({ name: "flow.yaml", ok: true });
    writeFileSync(join(cli.dir, "slip.yaml"), FLOW.replace("$END", "$EDN"));
    const slip = await cli.run(["workflow", "check", "slip.yaml"]);
    expect(slip).toMatchObject({ code: 1, stderr: expect.stringContaining("slip.yaml:") });
    const missing = await cli.run(["workflow", "check", "missing.yaml"]);
    expect(missing.stderr).toContain("[WORKFLOW_NOT_FOUND]");
  });

  it("asks a person, and continues with the answer; diff shows where two threads diverge", async () => {
    const run = ["run", "greet", "--prompt", "Greet somebody", "--wait"];
    const first = await cli.json<Ended>(["run", "greet", "--prompt", "Greet somebody", "--wait"]);
    const answers = JSON.parse(readFileSync(join(SCAFFOLD, "answers.json"), "utf8"));
    const stuck = { status: "stuck", greeting: "" };
    const asking = {
      writer: { 1: stuck, 2: answers.writer[3] },
      reviewer: { 3: { status: "good", problem: "" } },
    };
    writeFileSync(join(cli.dir, "answers.json"), JSON.stringify(asking));
    const { code, stdout } = await cli.run(["--json", ...run]);
    expect(code).toBe(7);
    const { threadId }: Ended = JSON.parse(stdout);
    await cli.json(["thread", "resume", threadId, "-p", "Ada"]);
    await expect
      .poll(() => cli.json(["thread", "show", threadId]), { timeout: 60_000, interval: 250 })
      .toMatchObject({ status: "completed" });
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
    const { stdout: diff } = await cli.run(["thread", "diff", first.threadId, threadId]);
    expect(diff).toContain("stuck");
  });

  it("with faults is refused with a list of all of them, and nothing is registered", async () => {
    writeFileSync(join(cli.dir, "broken.yaml"), FLOW.replace("new: writer", "new: writr"));
    const { code, message, exit } = await cli.fails(["workflow", "add", "broken", "broken.yaml"]);
    expect({ code, exit }).toEqual({ code: "YAML_INVALID", exit: 1 });
    expect(message).toContain("broken.yaml:35:10: graph.$START.new: there is no role");
    expect(await cli.fails(["workflow", "show", "broken"])).toMatchObject({
      code: "WORKFLOW_NOT_FOUND",
    });
    expect(await cli.fails(["workflow", "build", "none.yaml"])).toMatchObject({
      code: "FILE_NOT_FOUND",
    });
  });

  it("is added with a warning about missing agents and roles that are never reached", async () => {
    const text = FLOW.replace("default: practice", "default: practice\n  writer: someone");
    writeFileSync(
      join(cli.dir, "early.yaml"),
      text
        .replace("not-good: { role: writer", "not-good: { role: reviewer")
        .replace("new: writer", "new: reviewer"),
    );
    const { code, stderr } = await cli.run(["workflow", "add", "early", "early.yaml"]);
    expect(code).toBe(0);
    expect(stderr).toContain('there is no agent "someone" yet');
    expect(stderr).toContain("no rule leads to the role writer");
    expect(stderr).not.toContain("practice");
  });

  it("is drawn in the terminal, and printed as Mermaid", async () => {
    expect((await cli.run(["workflow", "show", "greet", "--graph"])).stdout).toContain(
      " └─ not-good ─▶ writer ↺\n",
    );
    expect((await cli.run(["workflow", "show", "greet", "--mermaid"])).stdout).toContain(
      'n2 -->|"not-good"| n1\n',
    );
    expect(await cli.json(["workflow", "show", "greet", "--graph"])).toMatchObject({
      name: "greet",
    });
  });
});
