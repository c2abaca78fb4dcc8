/** A start key stands for one start. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  await cli.addSteps("others", "works otherwise");
});
afterAll(() => cli.close());

const PROMPT = JSON.stringify({ steps: 2 });

function start(key: string, more: { workflow?: string; prompt?: string; flags?: string[] } = {}) {
  const { workflow = "steps", prompt = PROMPT, flags = [] } = more;
  return ["run", workflow, "--idle", "--id-key", key, "--prompt", prompt, ...flags];
}

it("returns the same thread for the same start, also from another directory", async () => {
  const first = await cli.json(start("a", { flags: ["--max-steps", "9"] }));
  expect(await cli.json(start("a", { flags: ["--max-steps", "9"] }))).toEqual(first);
  expect(await cli.json(start("a", { flags: ["--max-steps", "9", "--cwd", "flow"] }))).toEqual(
    first,
  );
});

it.each([
  ["another prompt", { prompt: "something else" }],
  ["another workflow", { workflow: "others" }],
  ["more steps", { flags: ["--max-steps", "10"] }],
  ["fewer steps", { flags: ["--max-steps", "8"] }],
  ["no limit of steps", { flags: [] }],
  ["a further limit", { flags: ["--max-steps", "9", "--max-tokens", "5"] }],
])("refuses a key that has a thread with %s, and starts nothing", async (what, change) => {
  const key = `b ${what}`;
  const flags = ["--max-steps", "9"];
  const { threadId } = await cli.json<{ threadId: string }>(start(key, { flags }));
  const { threads } = await cli.json<{ threads: unknown[] }>(["thread", "list"]);
  expect(await cli.fails(start(key, { flags, ...change }))).toMatchObject({
    exit: 2,
    code: "TARGET_EXISTS",
    message: expect.stringContaining(threadId),
    hint: expect.stringContaining(`thread show ${threadId}`),
  });
  expect((await cli.json<{ threads: unknown[] }>(["thread", "list"])).threads).toEqual(threads);
});

it("recognizes its start after a limit was raised, and after a new version of the workflow", async () => {
  const run = start("c", { flags: ["--max-steps", "1"] });
  const { threadId } = await cli.json<{ threadId: string }>(run);
  await cli.json(["thread", "exec", threadId, "--count", "2"]);
  await cli.json(["thread", "resume", threadId, "--max-steps", "5"]);
  await cli.run(["thread", "live", threadId]);
  expect(await cli.json(run)).toEqual({ threadId });
  await cli.addSteps("steps", "of another version");
  expect(await cli.json(run)).toEqual({ threadId });
});
