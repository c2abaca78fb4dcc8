/** What the verbs for the past and the future of a thread know of a step that coordinates. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isFinal, type ThreadRecord, type ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { CHORE, leadWorkflow } from "./coordinating-workflow.ts";
import { rests, untilThread, untilThreads } from "./until-thread.test.helper.ts";

const BOUNDS = { workflows: ["chore"], atOnce: 3, max: 4 };

let here: Cli;
let there: Cli;
beforeAll(async () => {
  here = openCli();
  there = openCli();
  await here.addSteps("steps");
  await add("chore", CHORE);
  await add("lead", leadWorkflow(BOUNDS));
  await add("one-by-one", leadWorkflow({ ...BOUNDS, atOnce: 1 }));
});
afterAll(() => Promise.all([here.close(), there.close()]));

describe("a coordinating step", () => {
  it("is attested, exported and proved with its workers, and made again by a fork with new ones", async () => {
    const { threadId } = await start("whole", [chore("one", {}), chore("two", {})]);
    await untilThread(here.root, threadId, rests);
    await untilEnded(threadId, 2);
    const { file, publicKeyFile } = await here.here<{ file: string; publicKeyFile: string }>([
      ...["thread", "attest", threadId, "--out", "attested.json"],
    ]);
    const tar = join(here.dir, "whole.tar");
    await here.here(["thread", "export", threadId, "--out", tar]);
    const imported = await there.here<{ threads: string[] }>(["thread", "import", tar]);
    expect(imported.threads).toHaveLength(3);
    const proved = ["--attestation", file, "--public-key", publicKeyFile];
    expect(await there.json(["thread", "verify", threadId, ...proved])).toMatchObject({ ok: true });
    const shown = await show(threadId);
    expect((await show(threadId, there)).steps[0]?.workers).toEqual(shown.steps[0]?.workers);

    const words = ["thread", "fork", threadId, "--from-step", "0"];
    const fork = await here.json<{ threadId: string }>(words);
    await untilThread(here.root, fork.threadId, rests);
    const made = await untilEnded(fork.threadId, 2);
    expect(made.map(({ title }) => title).toSorted()).toEqual(["one", "two"]);
    expect(await here.here(["thread", "verify", fork.threadId])).toMatchObject({ ok: true });
    // A fork of a worker is a thread like any other.
    const own = await here.json<{ threadId: string }>(["thread", "fork", made[0]?.threadId ?? ""]);
    await untilThread(here.root, own.threadId, ({ status }) => status === "completed");
  });

  it("goes on with its workers after an upgrade, and with new ones where it is imported", async () => {
    const { threadId, folder } = await start("under", [chore("one", { gate: "open" })]);
    const [worker] = await untilWorkers(threadId, ({ status }) => status === "running");
    const tar = join(here.dir, "under.tar");
    const exported = ["thread", "export", threadId, "--out", tar];
    const refused = await here.fails(exported);
    expect(refused).toMatchObject({ code: "TRANSITION_INVALID" });
    expect(refused.message).toContain(`${worker?.threadId}`);
    await here.json(["thread", "stop", threadId]);
    await add("lead", leadWorkflow({ ...BOUNDS, max: 5 }));
    await here.json(["thread", "upgrade", threadId]);
    await here.here(exported);
    await there.here(["thread", "import", tar]);
    await there.json(["workflow", "add", "chore", join(here.dir, "flow", "dist", "chore.esm.js")]);
    writeFileSync(join(folder, "open"), "");
    for (const cli of [here, there]) {
      await cli.json(["thread", "resume", threadId]);
      await untilThread(cli.root, threadId, rests);
      const { status, steps } = await show(threadId, cli);
      expect(status).toBe("completed");
      const ids = steps[0]?.workers?.map((each) => each.threadId);
      expect(ids).toEqual([cli === here ? worker?.threadId : expect.any(String)]);
      expect(await cli.here(["thread", "verify", threadId])).toMatchObject({ ok: true });
    }
  });

  it("is paused with its workers, and with those that it starts meanwhile", async () => {
    const tasks = [chore("one", { gate: "open", rounds: 2 }), chore("two", {})];
    const { threadId, folder } = await start("paused", tasks, "one-by-one");
    const [one] = await untilWorkers(threadId, ({ status }) => status === "running");
    while (!existsSync(join(folder, "ran"))) await sleep(20);
    await here.here(["thread", "pause", threadId]);
    writeFileSync(join(folder, "open"), "");
    await untilThread(here.root, one?.threadId ?? "", ({ status }) => status === "paused");
    expect(ran(folder)).toEqual(["one.1"]);
    // By its own id it goes on, and so the next one is started, which waits.
    await here.json(["thread", "resume", one?.threadId ?? ""]);
    const [two] = await untilWorkers(threadId, ({ title }) => title === "two");
    await sleep(500);
    await untilThread(here.root, two?.threadId ?? "", ({ status }) => status === "idle");
    expect(ran(folder)).toEqual(["one.1", "one.2"]);
    await here.json(["thread", "pause", two?.threadId ?? ""]);
    await here.json(["thread", "resume", threadId]);
    await untilThread(here.root, threadId, ({ status }) => status === "completed");
    expect(ran(folder)).toEqual(["one.1", "one.2", "two.1"]);
  });
});

const chore = (title: string, about: object) => ({
  title,
  prompt: JSON.stringify({ name: title, ...about }),
});

async function add(name: string, source: string): Promise<void> {
  const file = join(here.dir, "flow", `${name}.mjs`);
  writeFileSync(file, source);
  const built = await here.json<{ file: string }>(["workflow", "build", file]);
  await here.json(["workflow", "add", name, built.file]);
}

async function start(
  name: string,
  tasks: object[],
  workflow = "lead",
): Promise<{ threadId: string; folder: string }> {
  const folder = join(here.dir, "work", name);
  mkdirSync(folder, { recursive: true });
  const { threadId } = await here.json<{ threadId: string }>([
    ...["run", workflow, "--cwd", folder, "--prompt", JSON.stringify({ tasks })],
  ]);
  return { threadId, folder };
}

function show(threadId: string, cli = here): Promise<ThreadView> {
  return cli.here<ThreadView>(["thread", "show", threadId]);
}

/** All its workers of this kind, once there is one. */
function untilWorkers(
  parent: string,
  isMeant: (worker: ThreadRecord) => boolean,
  count = 1,
): Promise<ThreadRecord[]> {
  return untilThreads(here.root, (threads) => {
    const meant = threads.filter((each) => each.parentThread === parent && isMeant(each));
    return meant.length >= count ? meant : null;
  });
}

function untilEnded(parent: string, count: number): Promise<ThreadRecord[]> {
  return untilWorkers(parent, ({ status }) => isFinal(status), count);
}

function ran(folder: string): string[] {
  return readFileSync(join(folder, "ran"), "utf8").split("\n").filter(Boolean);
}
