/** An agent that the workflow does not bind redoes a step or continues a thread. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";

type Shown = {
  head: string;
  status: string;
  steps: {
    role: string;
    content: string;
    route: { prompt: string | null } | null;
    run: { agent: { name: string; binding?: string }; session: string | null } | null;
  }[];
};

/** Plays any role of the steps workflow, and reports the session it was asked to resume. */
const PACKAGE = `
export const agent = {
  name: "echo",
  create: ({ word }) => (_prompt, schema) => async (ctx, { step }) => {
    if (step.route?.prompt === "break") throw new Error("the echo broke");
    const n = ctx.steps.length + 1;
    const meta = schema.parse(step.role === "worker" ? { step: n, left: 3 - n, ask: false } : { ok: true });
    const run = {
      agent: { name: "echo", version: "1.0.0" }, session: word + "-session", prompt: null,
      startedAt: 1, completedAt: 2, usage: null, cwd: step.cwd, evidence: [],
    };
    return { meta, childThread: null, content: word + " after " + step.previousSession, run };
  },
  probe: async () => ({ path: null, version: "1.0.0", installed: true, login: "ok", features: [], fix: null }),
};
`;

let cli: Cli;
let threadId = "";
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
  const folder = join(cli.root, "node_modules", "echo-agent");
  mkdirSync(folder, { recursive: true });
  const manifest = { name: "echo-agent", version: "1.0.0", type: "module", exports: "./index.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(folder, "index.js"), PACKAGE);
  const registry = join(cli.root, "workflow.yaml");
  const agents = ["one", "two"].map(
    (name) => `    ${name}: { package: echo-agent, options: { word: ${name} } }\n`,
  );
  writeFileSync(registry, `config:\n  agents:\n${agents.join("")}${readFileSync(registry)}`);
});
beforeEach(async () => {
  const prompt = JSON.stringify({ steps: 3 });
  ({ threadId } = await cli.json<{ threadId: string }>([
    "run",
    "steps",
    "--prompt",
    prompt,
    "--idle",
  ]));
  await cli.json(["thread", "exec", threadId]);
});
afterAll(() => cli.close());

const show = (id = threadId): Promise<Shown> => cli.json<Shown>(["thread", "show", id]);

describe("a poke", () => {
  it("runs on the agent it names, in a new session", async () => {
    await cli.json(["thread", "poke", threadId, "-p", "again", "--agent", "one"]);
    const { steps } = await show();
    expect(steps).toHaveLength(1);
    expect(steps[0]).toMatchObject({
      content: "one after null",
      route: { prompt: "again" },
      run: { agent: { name: "echo", binding: "one" } },
    });
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });

  it("without a name runs on the agent that made the step, in the same session", async () => {
    await cli.json(["thread", "poke", threadId, "-p", "again", "--agent", "one"]);
    await cli.json(["thread", "poke", threadId, "-p", "once more"]);
    expect((await show()).steps[0]).toMatchObject({
      content: "one after one-session",
      run: { agent: { binding: "one" } },
    });
  });

  it("with a missing or failing agent leaves the head unchanged", async () => {
    const before = await show();
    const unknown = ["thread", "poke", threadId, "-p", "x", "--agent", "three"];
    expect(await cli.fails(unknown)).toMatchObject({ exit: 2, code: "AGENT_NOT_FOUND" });
    const broken = ["thread", "poke", threadId, "-p", "break", "--agent", "one"];
    expect(await cli.fails(broken)).toMatchObject({ exit: 1, message: "the echo broke" });
    expect(await show()).toEqual(before);
  });

  it("can be undone, and the undo as well, until the next step", async () => {
    const before = await show();
    const poked = await cli.json<{ head: string }>(["thread", "poke", threadId, "-p", "again"]);
    const undone = await cli.json(["thread", "poke", threadId, "--undo"]);
    expect(undone).toEqual({
      threadId,
      head: before.head,
      previousHead: poked.head,
      status: "idle",
    });
    expect(await show()).toEqual(before);
    await cli.json(["thread", "poke", threadId, "--undo"]);
    expect((await show()).head).toBe(poked.head);
    expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });

    await cli.json(["thread", "exec", threadId]);
    const late = await cli.fails(["thread", "poke", threadId, "--undo"]);
    expect(late).toMatchObject({ exit: 3, code: "TRANSITION_INVALID" });
  });

  it("whose old step was collected cannot be undone, and the thread is unchanged", async () => {
    const old = (await show()).head;
    await cli.json(["thread", "poke", threadId, "-p", "again"]);
    const poked = await show();
    await cli.json(["cas", "rm", old]);
    const refused = await cli.fails(["thread", "poke", threadId, "--undo"]);
    expect(refused).toMatchObject({ exit: 5, code: "CAS_MISSING" });
    expect(await show()).toEqual(poked);
  });

  it("is undone without a prompt and without an agent", async () => {
    for (const more of [
      ["-p", "x"],
      ["--agent", "one"],
    ]) {
      const refused = await cli.fails(["thread", "poke", threadId, "--undo", ...more]);
      expect(refused).toMatchObject({ exit: 2, code: "USAGE" });
    }
  });
});

describe("a fork", () => {
  it("runs to its end on the agent it names; the old thread does not", async () => {
    const forked = await cli.json<{ threadId: string }>([
      "thread",
      "fork",
      threadId,
      "--agent",
      "two",
      "--idle",
    ]);
    await cli.json(["thread", "exec", forked.threadId, "--count", "3"]);
    const { steps } = await show(forked.threadId);
    expect(steps.map(({ content }) => content)).toEqual([
      "step 1",
      "two after null",
      "two after two-session",
      "two after null",
    ]);
    expect(steps[1]?.run?.agent).toEqual({ name: "echo", version: "1.0.0", binding: "two" });
    expect(await cli.json(["thread", "verify", forked.threadId])).toMatchObject({ ok: true });
    await cli.json(["thread", "exec", threadId]);
    expect((await show()).steps[1]?.content).toBe("step 2");
  });

  it("of such a fork runs on the same agent", async () => {
    const fork = async (id: string, ...more: string[]): Promise<string> =>
      (await cli.json<{ threadId: string }>(["thread", "fork", id, "--idle", ...more])).threadId;
    const second = await fork(await fork(threadId, "--agent", "two"));
    await cli.json(["thread", "exec", second]);
    expect((await show(second)).steps[1]?.content).toBe("two after null");
  });
});
