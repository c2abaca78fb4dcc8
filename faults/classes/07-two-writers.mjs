import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { document } from "../parts/command.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { STORES, withEngine, withScene } from "../parts/scene.mjs";

export const title = "many writers of workflow.yaml and of the index at once: no lost update";

const WRITERS = 8;
const NUMBERS = Array.from({ length: WRITERS }, (_, number) => number);
const COMMENT = "# written by a person\n";
const START = ["thread", "run", "steps", "--idle", "--prompt", "{}"];

export async function* cases({ folder, thorough, bundles }) {
  const rounds = thorough ? 10 : 1;
  const plays = {
    "names added at once": (scene) => namesAdded(scene, bundles),
    "threads started at once": threadsStarted,
    "one key used at once": oneKey,
  };
  for (const store of STORES) {
    for (const [what, play] of Object.entries(plays)) {
      for (let round = 1; round <= rounds; round += 1) {
        const name = `${store} ${what}, round ${round}`;
        yield { name, run: () => withScene({ folder, store }, play) };
      }
    }
  }
}

async function namesAdded(scene, bundles) {
  const file = join(scene.root, "workflow.yaml");
  writeFileSync(file, `${COMMENT}${readFileSync(file, "utf8")}`);
  await atOnce(scene, (number) => ["workflow", "add", `name-${number}`, bundles.pingpong]);
  const { workflows } = await document(["workflow", "list"], scene);
  const names = workflows.map(({ name }) => name);
  for (const number of NUMBERS) assert.ok(names.includes(`name-${number}`), `name-${number}`);
  assert.ok(readFileSync(file, "utf8").startsWith(COMMENT), "a comment is lost");
  await expectSound(scene);
}

async function threadsStarted(scene) {
  const made = await atOnce(scene, () => START);
  const ids = (await threadsOf(scene)).map(({ threadId }) => threadId);
  assert.deepEqual(made.map(({ threadId }) => threadId).sort(), ids.sort());
  await expectSound(scene);
}

async function oneKey(scene) {
  const made = await atOnce(scene, () => [...START, "--id-key", "the same"]);
  assert.equal(new Set(made.map(({ threadId }) => threadId)).size, 1, "one key, several threads");
  assert.equal((await threadsOf(scene)).length, 1);
  await expectSound(scene);
}

const atOnce = ({ root }, args) =>
  Promise.all(NUMBERS.map((each) => document(args(each), { root })));
const threadsOf = ({ root }) => withEngine(root, ({ store }) => store.list({}));
