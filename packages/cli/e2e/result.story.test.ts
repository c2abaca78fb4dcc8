/** What workflows return, and fields outside the schema: from a YAML file to a shell, by the built command. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

const GREETING = "Hello,\n  Ada! ✓";
const ANSWER = `console.log(JSON.stringify({ status: "done", greeting: ${JSON.stringify(GREETING)}, words: ["a", "b"] }));`;

const FLOW = `description: Greets
agents: { default: practice }
roles:
  writer:
    goal: Greet
    output:
      type: object
      properties:
        status: { enum: [done] }
        greeting: { type: string }
        words: { type: array, items: { type: string } }
      required: [status, greeting, words]
      additionalProperties: false
graph:
  $START: { new: writer }
  writer:
    done: { role: $END, prompt: "{{ last.meta.greeting }}" }
`;

let cli: Cli;
beforeAll(() => {
  cli = openCli();
  mkdirSync(cli.root, { recursive: true });
  writeFileSync(join(cli.dir, "practice.mjs"), ANSWER);
  const options = { command: process.execPath, args: ["practice.mjs"], output: "json" };
  const agents = { practice: { package: "@uncaged/workflow-agent-command", options } };
  writeFileSync(join(cli.root, "workflow.yaml"), JSON.stringify({ config: { agents } }), {
    mode: 0o600,
  });
});
afterAll(() => cli.close());

type Ended = { threadId: string; status: string; result?: unknown; resultError?: string };

async function ended(name: string, result: string | null): Promise<Ended> {
  writeFileSync(
    join(cli.dir, `${name}.yaml`),
    result === null ? FLOW : `${FLOW}result: ${JSON.stringify(result)}\n`,
  );
  await cli.json(["workflow", "add", name, `${name}.yaml`]);
  return cli.json<Ended>(["run", name, "--prompt", "Ada", "--wait"]);
}

describe("the result of a workflow", () => {
  it("is printed unchanged if it is text, and wherever the thread is shown", async () => {
    const { threadId, result } = await ended("text", "byRole.writer.last.meta.greeting");
    expect(result).toBe(GREETING);
    expect((await cli.run(["thread", "result", threadId])).stdout).toBe(GREETING);
    expect(await cli.json(["thread", "result", threadId])).toEqual({ threadId, result: GREETING });
    expect(await cli.json(["thread", "show", threadId])).toMatchObject({
      result: { returnCode: 0, value: GREETING },
    });
    expect(await cli.json(["thread", "list", "text"])).toMatchObject({
      threads: [{ threadId, result: GREETING }],
    });
    const shown = (await cli.run(["thread", "show", threadId])).stdout;
    expect(shown.trimEnd().endsWith(`result:\n${GREETING}`)).toBe(true);
    const { stdout } = await cli.run(["run", "text", "--prompt", "again", "--wait"]);
    expect(stdout.trimEnd().endsWith(`result:\n${GREETING}`)).toBe(true);
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("is one line of JSON if it is not text, and null if it is missing", async () => {
    const list = await ended("list", "{ 'words': last.meta.words, 'n': $count(steps) }");
    expect((await cli.run(["thread", "result", list.threadId])).stdout).toBe(
      '{"n":1,"words":["a","b"]}\n',
    );
    const missing = await ended("missing", "steps[5].meta.greeting");
    expect(missing).toMatchObject({ status: "completed", result: null });
    expect((await cli.run(["thread", "result", missing.threadId])).stdout).toBe("null\n");
    for (const { threadId } of [list, missing])
      expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("is what the last role said when the workflow does not say it", async () => {
    const { threadId, ...rest } = await ended("plain", null);
    expect(rest).not.toHaveProperty("result");
    const content = (await cli.run(["thread", "result", threadId])).stdout;
    const { steps } = await cli.json<{ steps: { content: string }[] }>([
      "thread",
      "show",
      threadId,
    ]);
    expect(content).toBe(steps[0]?.content);
    expect(content).toContain("Ada");
  });

  it("that cannot be evaluated does not lose the thread", async () => {
    const failing = await ended("failing", "$number(last.meta.greeting)");
    expect(failing.status).toBe("completed");
    expect(failing.resultError).toContain("could not be evaluated");
    expect(await cli.fails(["thread", "result", failing.threadId])).toMatchObject({
      code: "RESULT_FAILED",
      exit: 1,
    });
    expect(await cli.json(["thread", "verify", failing.threadId])).toMatchObject({ ok: true });
  });

  it("does not exist while the thread has not ended", async () => {
    const { threadId } = await cli.json<Ended>(["run", "plain", "--prompt", "x", "--idle"]);
    expect(await cli.fails(["thread", "result", threadId])).toMatchObject({
      code: "THREAD_UNFINISHED",
      exit: 3,
    });
  });

  it("is part of an export, and shown by a dry run", async () => {
    const { threadId } = await ended("travel", "last.meta.greeting");
    await cli.json(["thread", "export", threadId, "--out", "t.tar"]);
    await cli.json(["thread", "rm", threadId]);
    await cli.json(["thread", "import", "t.tar"]);
    expect((await cli.run(["thread", "result", threadId])).stdout).toBe(GREETING);
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
    writeFileSync(
      join(cli.dir, "stubs.yaml"),
      "writer: [{ status: done, greeting: Hi, words: [] }]\n",
    );
    const dry = ["run", "travel", "--prompt", "x", "--dry-run", "--stubs", "stubs.yaml"];
    expect(await cli.json(dry)).toMatchObject({ ok: true, result: "Hi" });
  });
});

describe("a field that no schema has", () => {
  const file = (text: string): string => {
    writeFileSync(join(cli.dir, "wrong.yaml"), text);
    return "wrong.yaml";
  };
  const WRONG = `${FLOW.replace("{{ last.meta.greeting }}", "{{ last.meta.greting }}")}result: byRole.writer.last.meta.wrds\n`;

  it("is refused by add with its line and a suggestion, unless forced", async () => {
    const { code, exit, message } = await cli.fails(["workflow", "add", "wrong", file(WRONG)]);
    expect({ code, exit }).toEqual({ code: "UNSOUND_WORKFLOW", exit: 1 });
    expect(message).toMatch(
      /wrong\.yaml:17:47: table\.writer\[0\]\.prompt: last\.meta has no field "greting"; did you mean "greeting"\?/,
    );
    expect(message).toMatch(
      /wrong\.yaml:18:33: result: byRole.writer.last.meta has no field "wrds"/,
    );
    expect(await cli.fails(["workflow", "show", "wrong"])).toMatchObject({
      code: "WORKFLOW_NOT_FOUND",
    });
    const forced = await cli.run(["workflow", "add", "wrong", "wrong.yaml", "--force"]);
    expect(forced.code).toBe(0);
    expect(forced.stderr).toContain('did you mean "greeting"?');
  });

  it("is a finding of check, and a warning of build", async () => {
    await cli.run(["workflow", "add", "checked", file(FLOW)]);
    file(WRONG);
    const { stdout, code } = await cli.run([
      "--json",
      "workflow",
      "check",
      "checked",
      "wrong.yaml",
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      findings: [
        {
          code: "FIELD_UNKNOWN",
          level: "fault",
          place: "table.writer[0].prompt",
          field: "last.meta.greting",
          line: 17,
        },
        { code: "FIELD_UNKNOWN", place: "result", line: 18 },
      ],
    });
    const built = await cli.run(["workflow", "build", "wrong.yaml", "--out", "wrong.mjs"]);
    expect(built.code).toBe(0);
    expect(built.stderr).toContain('has no field "greting"');
    expect(await cli.fails(["workflow", "add", "wrong-2", "wrong.mjs"])).toMatchObject({
      code: "UNSOUND_WORKFLOW",
    });
    expect(readFileSync(join(cli.dir, "wrong.mjs"), "utf8")).toContain("greting");
  });

  it("is a warning where the schema is open", async () => {
    const open = FLOW.replace("      additionalProperties: false\n", "");
    const text = open.replace("last.meta.greeting", "last.meta.more");
    const { code, stderr } = await cli.run(["workflow", "add", "open", file(text)]);
    expect(code).toBe(0);
    expect(stderr).toContain('no schema declares the field "more" of last.meta');
  });
});
