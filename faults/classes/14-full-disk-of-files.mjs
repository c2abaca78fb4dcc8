import assert from "node:assert/strict";
import { runCommand } from "../parts/command.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { expectTyped } from "../parts/expect-typed.mjs";
import { FILE_VERBS, usersState } from "../parts/file-verbs.mjs";
import { withScene } from "../parts/scene.mjs";
import { withTmpfs } from "../parts/tmpfs.mjs";

export const title =
  "steps, fork, restore, import, workspace rm: the disk of the root or of the repository fills up";

/** Free room of a file system, in pages. */
const FREE_PAGES = [0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 20];
const SHORT = 2;
/** What lies on the disk that is full. */
const PLACES = ["root", "work"];

export async function* cases({ folder, some }) {
  const store = "files";
  for (const [name, verb] of Object.entries(FILE_VERBS))
    for (const place of PLACES)
      for (const pages of some(FREE_PAGES, SHORT)) {
        const play = (scene) => inRoom(scene, { verb, place, pages });
        const title = `${name}, ${pages} pages free for ${place}`;
        yield { name: title, run: () => withScene({ folder, store }, play) };
      }
}

async function inRoom(scene, { verb, place, pages }) {
  const given = await verb.prepare(scene);
  const before = usersState(scene);
  const at = { root: scene.root, cwd: scene.work };
  return withTmpfs({ dir: scene.dir, root: scene[place] }, { pages }, async ({ giveRoom }) => {
    const ran = await runCommand(verb.args(given), at);
    expectTyped(ran);
    if (ran.code !== 0) assert.deepEqual(usersState(scene), before);
    giveRoom();
    await expectSound(scene);
    if (ran.code !== 0) {
      const again = await runCommand(verb.args(given), at);
      assert.equal(again.code, 0, `again: ${again.stderr}`);
    }
    await verb.whole(scene, given);
    assert.deepEqual(usersState(scene), before);
    await expectSound(scene);
    return { hit: ran.code !== 0 };
  });
}
