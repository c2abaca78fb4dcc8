import assert from "node:assert/strict";
import { failureCode, runCommand } from "../parts/command.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { STORES, withScene } from "../parts/scene.mjs";
import { isChanging, recordCalls, withFault } from "../parts/strace.mjs";
import { placeOf, VERBS } from "../parts/verbs.mjs";

export const title =
  "add, rollback, run, fork, poke, end, kill, rm, gc, pack, unpack, and of tasks: killed, then given again";

/** How many calls of a verb are tried in the short form. */
const SHORT = 2;

export async function* cases(lab) {
  const { folder, thorough, some } = lab;
  for (const store of STORES) {
    for (const [name, verb] of Object.entries(VERBS)) {
      const calls = await withScene({ folder, store }, async (scene) => {
        const args = verb.args(await verb.prepare(scene, lab));
        return recordCalls(placeOf(verb, scene), args);
      });
      for (const at of some(
        calls.filter((each) => thorough || isChanging(each)),
        SHORT,
      )) {
        const title = `${store} ${name} killed at ${at.call} ${at.n}`;
        const play = (scene) => killedAt(scene, { verb, at, lab });
        yield { name: title, run: () => withScene({ folder, store }, play) };
      }
    }
  }
}

async function killedAt(scene, { verb, at, lab }) {
  const given = await verb.prepare(scene, lab);
  const place = placeOf(verb, scene);
  const { hit } = await withFault(place, verb.args(given), { ...at, fault: "signal=KILL" });
  await expectSound(scene);
  await verb.half(scene, given);
  const again = await runCommand(verb.args(given), { root: scene.root, cwd: place.work });
  const code = failureCode(again);
  assert.ok(again.code === 0 || verb.already.includes(code), `again: ${again.stderr}`);
  await verb.whole(scene, given);
  await expectSound(scene);
  return { hit };
}
