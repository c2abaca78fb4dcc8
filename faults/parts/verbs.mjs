/** Commands that change a storage root. Each says how to come to where it may be given, what must hold when it
 *  was cut short, and what must hold when it is given again.
 *
 *      prepare(scene, lab)       what must be there before; returns what the others need
 *      args(given)               the command
 *      half(scene, given)        after the fault: it was done, or it was not
 *      whole(scene, given)       after the same command went through
 *      already                   codes by which it may refuse to be done a second time
 *      at(scene)                 the folder in which it is given; left out: the working directory */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readRegistry } from "@uncaged/workflow-register";
import { register, successOf, withEngine } from "./scene.mjs";
import { TASK_VERBS } from "./task-verbs.mjs";
import { expectResumes, makeSteps, STEPS, stepsThread, viewOf } from "./transcript.mjs";

const nothing = async () => {};

export const VERBS = {
  "workflow add": {
    prepare: async (_scene, { bundles }) => bundles.pingpong,
    args: (file) => ["workflow", "add", "pingpong", file],
    half: async (scene) => expectNamed(scene, ["steps", "hand", "nested"]),
    whole: async (scene) => expectNamed(scene, ["steps", "hand", "nested", "pingpong"]),
    already: [],
  },
  "workflow rollback": {
    prepare: (scene, { bundles }) =>
      withEngine(scene.root, async (engine) => {
        await register(engine, "two", bundles.steps);
        await register(engine, "two", bundles.hand);
        const [{ hash }] = (await versionsOf(scene, "two")).history;
        return hash;
      }),
    args: (hash) => ["workflow", "rollback", "two", hash],
    half: async (scene) => {
      const { hash, history } = await versionsOf(scene, "two");
      const known = new Set([hash, ...history.map((each) => each.hash)]);
      assert.equal(known.size, 2, "a version is lost");
    },
    whole: async (scene, hash) => assert.equal((await versionsOf(scene, "two")).hash, hash),
    already: ["USAGE", "VERSION_UNKNOWN", "TRANSITION_INVALID"],
  },
  "thread run": {
    prepare: nothing,
    args: () => ["thread", "run", "steps", "--idle", "--id-key", "once", "--prompt", PROMPT],
    half: async (scene) => assert.ok((await threadsOf(scene)).length <= 1),
    whole: async (scene) => {
      const threads = await threadsOf(scene);
      assert.equal(threads.length, 1, "the same key gave another thread");
      await expectResumes(scene, threads[0].threadId);
    },
    already: [],
  },
  "thread fork": {
    prepare: (scene) => threadWith(scene, 2),
    args: (threadId) => ["thread", "fork", threadId, "--from-step", "1", "--idle"],
    half: expectTwoSteps,
    whole: async (scene, threadId) => {
      await expectTwoSteps(scene, threadId);
      // First the old one: its forks work in the same directory.
      await expectResumes(scene, threadId);
      const forks = (await threadsOf(scene)).filter((each) => each.threadId !== threadId);
      assert.ok(forks.length === 1 || forks.length === 2, `${forks.length} forks`);
      for (const fork of forks) {
        assert.equal(fork.stepCount, 1);
        successOf(await makeSteps(scene, fork.threadId, STEPS + 9));
        assert.equal((await viewOf(scene, fork.threadId)).status, "completed");
      }
    },
    already: [],
  },
  "thread poke": {
    prepare: (scene) => threadWith(scene, 2),
    args: (threadId) => ["thread", "poke", threadId, "--prompt", "again"],
    half: expectTwoSteps,
    whole: async (scene, threadId) => {
      await expectTwoSteps(scene, threadId);
      successOf(await makeSteps(scene, threadId, STEPS + 9));
      const view = await viewOf(scene, threadId);
      assert.deepEqual([view.status, view.steps.length], ["completed", STEPS + 1]);
    },
    already: [],
  },
  "thread end": {
    prepare: (scene) => threadWith(scene, STEPS),
    args: (threadId) => ["thread", "exec", threadId],
    half: async (scene, threadId) => {
      const { status } = await viewOf(scene, threadId);
      if (status === "completed") await expectInHistory(scene, threadId);
    },
    whole: async (scene, threadId) => {
      assert.equal((await viewOf(scene, threadId)).status, "completed");
      await expectInHistory(scene, threadId);
    },
    already: ["TRANSITION_INVALID"],
  },
  "thread kill": {
    prepare: (scene) => threadWith(scene, 2),
    args: (threadId) => ["thread", "kill", threadId],
    half: expectTwoSteps,
    whole: async (scene, threadId) => {
      await expectTwoSteps(scene, threadId);
      assert.equal((await viewOf(scene, threadId)).status, "aborted");
      await expectInHistory(scene, threadId);
    },
    already: ["TRANSITION_INVALID"],
  },
  "thread rm": {
    prepare: (scene) => threadWith(scene, STEPS + 9),
    args: (threadId) => ["thread", "rm", threadId],
    half: expectInHistory,
    whole: async (scene, threadId) => {
      assert.deepEqual(await threadsOf(scene), []);
      await expectInHistory(scene, threadId);
    },
    already: ["THREAD_NOT_FOUND"],
  },
  "cas gc": {
    prepare: async (scene) => {
      const threadId = await threadWith(scene, 2);
      await withEngine(scene.root, async ({ cas }) => {
        for (let each = 0; each < 5; each += 1) await cas.put(`nobody needs ${each}`);
      });
      return threadId;
    },
    args: () => ["cas", "gc", "--grace", "0s"],
    half: expectTwoSteps,
    whole: (scene, threadId) => expectResumes(scene, threadId),
    already: [],
  },
  "cas move": {
    prepare: async (scene) => ({ threadId: await threadWith(scene, 2), store: scene.store }),
    args: ({ store }) => ["cas", store === "files" ? "pack" : "unpack"],
    half: (scene, { threadId }) => expectTwoSteps(scene, threadId),
    whole: (scene, { threadId }) => expectResumes(scene, threadId),
    already: [],
  },
  ...TASK_VERBS,
};

/** The scene as the command sees it. */
export function placeOf(verb, scene) {
  return verb.at === undefined ? scene : { ...scene, work: verb.at(scene) };
}

const PROMPT = JSON.stringify({ steps: STEPS, sleepMs: 0, pad: 0 });

async function threadWith(scene, count) {
  const threadId = await stepsThread(scene);
  successOf(await makeSteps(scene, threadId, count));
  return threadId;
}

async function versionsOf({ root }, name) {
  return successOf(await readRegistry(root)).workflows.get(name);
}

const threadsOf = ({ root }) => withEngine(root, ({ store }) => store.list({}));

async function expectNamed(scene, names) {
  const { workflows } = successOf(await readRegistry(scene.root));
  for (const name of names) assert.ok(workflows.has(name), `${name} is lost`);
  assert.match(readFileSync(join(scene.root, "workflow.yaml"), "utf8"), /store: (files|packed)/);
}

async function expectTwoSteps(scene, threadId) {
  assert.equal((await viewOf(scene, threadId)).steps.length, 2);
}

async function expectInHistory({ root }, threadId) {
  const { hash } = await versionsOf({ root }, "steps");
  const folder = join(root, "bundles", hash, "history");
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const end = `{"threadId":"${threadId}","workflow":`;
  assert.ok(files.join("\n").includes(end), "the end is not in the history");
}
