/** A new version of a workflow: checked against threads, and applied to an unfinished one. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { stepsWorkflow } from "./steps-workflow.ts";

type Shown = {
  bundleHash: string;
  status: string;
  head: string;
  steps: { round: number; role: string; stateHash: string }[];
  upgrades: { afterRound: number; from: string; to: string; stateHash: string }[];
  suspended: { message: string } | null;
};

let cli: Cli;
let first = "";
/** A version compatible with the first. */
let second = "";
/** File of an incompatible version: its worker never runs a second time. */
let otherWay = "";

beforeAll(async () => {
  cli = openCli();
  first = (await cli.addSteps("steps")).hash;
  second = (await cli.addSteps("steps", "the second version")).hash;
  const source = join(cli.dir, "flow", "other.mjs");
  const changed = stepsWorkflow({ description: "goes another way" })
    .replace("last.meta.left > 0", "last.meta.left > 5")
    .replace("z.object({ ok: z.boolean() })", "z.object({ ok: z.boolean(), by: z.string() })");
  writeFileSync(source, changed);
  otherWay = (await cli.json<{ file: string }>(["workflow", "build", source])).file;
}, 120_000);
afterAll(() => cli.close());

/** A thread of the first version, after this many steps. */
async function begun(steps: number, plan: object = { steps: 3 }): Promise<string> {
  const prompt = JSON.stringify(plan);
  await cli.here(["workflow", "rollback", "steps", first]);
  const made = await cli.here<{ threadId: string }>(["run", "steps", "-p", prompt, "--idle"]);
  await cli.here(["workflow", "rollback", "steps", second]);
  const { threadId } = made;
  if (steps > 0) await cli.json(["thread", "exec", threadId, "--count", String(steps)]);
  return threadId;
}

const show = (id: string): Promise<Shown> => cli.here<Shown>(["thread", "show", id]);
const verify = (id: string): Promise<unknown> => cli.here(["thread", "verify", id]);

describe("the check of a version", () => {
  it("finds nothing wrong with a sound table", async () => {
    expect(await cli.json(["workflow", "check", "steps"])).toEqual({
      ...{ name: "steps", hash: second, ok: true, findings: [], threads: null },
    });
  });

  it("shows where threads would have gone another way, and exits with 1", async () => {
    const threadId = await begun(4);
    const same = await cli.json(["workflow", "check", `steps@${second}`, "--against", threadId]);
    expect(same).toMatchObject({ ok: true, threads: { checked: 1, compatible: 1, differing: [] } });

    const words = [
      "--json",
      "workflow",
      "check",
      "steps",
      otherWay,
      "--all",
      "--status",
      "completed",
    ];
    const { code, stdout } = await cli.run(words);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      threads: {
        ...{ checked: 1, compatible: 0 },
        differing: [
          {
            ...{ threadId, status: "completed", steps: 4, compatible: false, removedRoles: [] },
            routes: [
              {
                ...{ round: 2, from: "worker", recorded: "worker", now: "checker" },
                ...{ rule: 2, because: "FALLBACK" },
              },
              {
                ...{ round: 3, from: "worker", recorded: "worker", now: "checker" },
                ...{ rule: 2, because: "FALLBACK" },
              },
            ],
            metas: [{ round: 4, role: "checker", path: "by", message: expect.any(String) }],
          },
        ],
      },
    });
    const human = await cli.run(["workflow", "check", "steps", otherWay, "--against", threadId]);
    expect(human.stdout).toContain("#2 worker → worker is now checker (FALLBACK)");
    expect(human.stdout).toContain("1 of 1 thread would have taken another route");
  });

  it("does not take threads by id and by name at once", async () => {
    const words = ["workflow", "check", "steps", "--against", "x", "--all"];
    expect(await cli.fails(words)).toMatchObject({ exit: 2, code: "USAGE" });
  });
});

describe("an upgrade", () => {
  it("is a node of the chain but not a round, and what follows runs the new version", async () => {
    const id = await begun(2);
    const before = await show(id);
    const done = await cli.json<{ head: string }>(["thread", "upgrade", id]);
    expect(done).toEqual({
      ...{ threadId: id, from: first, to: second, head: expect.any(String), status: "idle" },
    });
    const after = await show(id);
    expect(after).toMatchObject({ bundleHash: second, head: done.head, steps: before.steps });
    expect(after.upgrades).toMatchObject([
      { afterRound: 2, from: first, to: second, stateHash: done.head },
    ]);
    expect(await verify(id)).toMatchObject({ ok: true });

    await cli.json(["thread", "exec", id, "--count", "9"]);
    const ended = await show(id);
    expect(ended.status).toBe("completed");
    expect(ended.steps.map(({ round, role }) => `${round} ${role}`)).toEqual([
      ...["1 worker", "2 worker", "3 worker", "4 checker"],
    ]);
    expect(await verify(id)).toMatchObject({ ok: true });
    const page = await cli.run(["thread", "context", id, "--before", "3"]);
    expect(page.stdout).toContain("[#2 worker]");
    expect(page.stdout).not.toContain("__upgrade__");
    expect((await cli.run(["thread", "show", id])).stdout).toContain(
      `version ${first} replaced by ${second}`,
    );
  });

  it("can be reverted by another one, and steps in between keep their version", async () => {
    const id = await begun(1);
    await cli.json(["thread", "upgrade", id]);
    await cli.json(["thread", "exec", id]);
    await cli.json(["thread", "upgrade", id, "--to", first]);
    expect((await show(id)).upgrades.map(({ afterRound, to }) => [afterRound, to])).toEqual([
      [1, second],
      [2, first],
    ]);
    await cli.json(["thread", "exec", id, "--count", "9"]);
    expect(await verify(id)).toMatchObject({ ok: true });
    const overview = await cli.run(["thread", "context", id]);
    expect(overview.stdout.match(/^\[#\d \w+\]/gm)).toEqual([
      ...["[#0 start]", "[#1 worker]", "[#2 worker]", "[#3 worker]", "[#4 checker]"],
    ]);
  });

  it("keeps the open question, and passes the answer to the new version", async () => {
    const id = await begun(1, { steps: 3, suspendAt: 1 });
    await cli.run(["thread", "exec", id]);
    expect((await show(id)).status).toBe("suspended");
    expect(await cli.json(["thread", "upgrade", id])).toMatchObject({ status: "suspended" });
    expect((await show(id)).suspended).toMatchObject({ message: "Go on after step 1?" });
    await cli.json(["thread", "resume", id, "-p", "yes"]);
    await cli.run(["thread", "wait", id]);
    expect(await verify(id)).toMatchObject({ ok: true });
  });

  it("is refused where the thread would not have reached this state, and nothing is changed", async () => {
    const id = await begun(2);
    const { hash } = await cli.json<{ hash: string }>(["workflow", "add", "other", otherWay]);
    const before = await show(id);
    const refused = await cli.fails(["thread", "upgrade", id, "--to", "other"]);
    expect(refused).toMatchObject({ exit: 1, code: "UPGRADE_REFUSED" });
    expect(refused.message).toContain(
      `version ${hash}: at round 2 from worker it led to worker, now to checker (FALLBACK)`,
    );
    expect(await show(id)).toEqual(before);
    expect(await cli.fails(["thread", "upgrade", id, "--to", "0000000000000"])).toMatchObject({
      ...{ exit: 1, code: "WORKFLOW_NO_VERSION" },
    });
    expect(await show(id)).toEqual(before);
  });

  it("is refused for a finished thread, for a running one, and for the version that it has", async () => {
    const id = await begun(1);
    expect(await cli.fails(["thread", "upgrade", id, "--to", first])).toMatchObject({ exit: 3 });
    await cli.json(["thread", "kill", id]);
    expect(await cli.fails(["thread", "upgrade", id])).toMatchObject({ exit: 3 });
    const runs = await begun(0, { steps: 1, gate: "open" });
    await cli.json(["thread", "resume", runs]);
    expect(await cli.fails(["thread", "upgrade", runs])).toMatchObject({
      ...{ exit: 6, code: "LEASE_HELD" },
    });
    await cli.json(["thread", "kill", runs]);
  });

  it("survives a poke, whose step runs on the new version, and its undo", async () => {
    const id = await begun(2);
    await cli.json(["thread", "upgrade", id]);
    const upgraded = await show(id);
    const poked = await cli.json(["thread", "poke", id, "-p", "again"]);
    expect(poked).toMatchObject({ previousHead: upgraded.head, status: "idle" });
    const after = await show(id);
    expect(after).toMatchObject({ bundleHash: second, head: poked.head });
    expect(after.steps).toHaveLength(2);
    expect(after.upgrades).toMatchObject([{ afterRound: 1, from: first, to: second }]);
    expect(await verify(id)).toMatchObject({ ok: true });

    await cli.json(["thread", "poke", id, "--undo"]);
    expect(await show(id)).toMatchObject({ head: upgraded.head, upgrades: upgraded.upgrades });
    await cli.json(["thread", "poke", id, "--undo"]);
    await cli.json(["thread", "exec", id, "--count", "9"]);
    expect((await show(id)).status).toBe("completed");
    expect(await verify(id)).toMatchObject({ ok: true });
  });

  it("is part of an export, with both bundles", async () => {
    const id = await begun(1);
    await cli.json(["thread", "upgrade", id]);
    await cli.json(["thread", "exec", id, "--count", "9"]);
    const file = join(cli.dir, "upgraded.tar");
    await cli.json(["thread", "export", id, "--out", file]);
    const bytes = readFileSync(file);
    for (const hash of [first, second])
      expect(bytes.includes(`bundles/${hash}/bundle.esm.js`)).toBe(true);
    const elsewhere = { env: { WORKFLOW_STORAGE_ROOT: join(cli.dir, "elsewhere") } };
    await cli.json(["thread", "import", file], elsewhere);
    expect(await cli.json(["thread", "verify", id], elsewhere)).toMatchObject({ ok: true });
  });
});

describe("a fork with another version", () => {
  it("continues with it from the fork point", async () => {
    const id = await begun(2);
    const words = ["thread", "fork", id, "--from-step", "1", "--bundle", "steps", "--idle"];
    const forked = await cli.json<{ threadId: string }>(words);
    await cli.json(["thread", "exec", forked.threadId, "--count", "9"]);
    const { bundleHash, steps, upgrades } = await show(forked.threadId);
    expect({ bundleHash, steps: steps.length }).toEqual({ bundleHash: second, steps: 4 });
    expect(upgrades).toMatchObject([{ afterRound: 1 }]);
    expect(await verify(forked.threadId)).toMatchObject({ ok: true });
    expect((await show(id)).bundleHash).toBe(first);
  });

  it("from before the upgrade of an upgraded thread has the version of that point", async () => {
    const id = await begun(2);
    await cli.json(["thread", "upgrade", id]);
    await cli.json(["thread", "exec", id]);
    const at = async (step: string): Promise<Shown> => {
      const words = ["thread", "fork", id, "--from-step", step, "--idle"];
      const { threadId } = await cli.json<{ threadId: string }>(words);
      expect(await verify(threadId)).toMatchObject({ ok: true });
      return show(threadId);
    };
    expect((await at("1")).bundleHash).toBe(first);
    expect((await at("3")).bundleHash).toBe(second);
  });

  it("is refused where the steps that are kept would have gone another way", async () => {
    const id = await begun(2);
    await cli.json(["workflow", "add", "other", otherWay]);
    const fork = (step: string): string[] => [
      ...["thread", "fork", id, "--from-step", step, "--bundle", "other", "--idle"],
    ];
    expect(await cli.fails(fork("2"))).toMatchObject({ exit: 1, code: "UPGRADE_REFUSED" });
    expect(await cli.json(fork("1"))).toMatchObject({ forkedFrom: { threadId: id } });
  });
});
