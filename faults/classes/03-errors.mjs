import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { COMMAND, failureCode, PACKAGES_BASE, runCommand, runProgram } from "../parts/command.mjs";
import { expectSound } from "../parts/expect-sound.mjs";
import { expectTyped } from "../parts/expect-typed.mjs";
import { STORES, withScene } from "../parts/scene.mjs";
import { recordCalls, withFault } from "../parts/strace.mjs";
import { withTmpfs } from "../parts/tmpfs.mjs";
import { expectResumes, stepsThread } from "../parts/transcript.mjs";
import { placeOf, VERBS } from "../parts/verbs.mjs";

export const title =
  "ENOSPC, EIO, EACCES, EMFILE, EROFS at a call; short writes; full file systems";

/** Which calls each error can come from. */
const ERRORS = {
  ENOSPC: /^(p?write(v|64)?|openat|link|mkdir|rename|fsync|fdatasync|ftruncate)$/,
  EIO: /^(p?write(v|64)?|p?read(v|64)?|openat|link|rename|fsync|fdatasync|unlink)$/,
  EACCES: /^(openat|link|mkdir|rename|unlink|access)$/,
  EMFILE: /^openat$/,
  EROFS: /^(openat|link|mkdir|rename|unlink|ftruncate)$/,
};
/** And when the command loads its own files. */
const OWN_ERRORS = { EMFILE: /^openat$/, EIO: /^(openat|p?read(v|64)?)$/ };
const OWN_FILES = fileURLToPath(new URL("dist/", PACKAGES_BASE));
const LOOK = ["thread", "list"];
/** How many calls are tried in the short form: for each error, of a thread; for all errors, of each other command. */
const SHORT = 2;
const SHORT_OF_VERBS = 2;
/** Bytes of the longest file that a process may write: a write past it is cut short, then refused. */
const FILE_LIMITS = [1_000, 3_000, 20_000, 60_000, 120_000, 200_000];
/** Free room of a file system: pages, and files. */
const FREE_PAGES = Array.from({ length: 60 }, (_, pages) => pages);
const FREE_FILES = Array.from({ length: 24 }, (_, files) => files);
const SHORT_OF_ROOM = 2;
/** What each step says, so that a blob is longer than a page. */
const PAD = 6_000;

export async function* cases(lab) {
  const { folder, some } = lab;
  for (const store of STORES) {
    const calls = await withScene({ folder, store }, async (scene) =>
      recordCalls(scene, drive(await stepsThread(scene))),
    );
    for (const [error, from] of Object.entries(ERRORS)) {
      for (const at of some(
        calls.filter(({ call }) => from.test(call)),
        SHORT,
      )) {
        const name = `${store} ${error} at ${at.call} ${at.n}`;
        const play = (scene) => threadMeets(scene, { ...at, fault: `error=${error}` });
        yield { name, run: () => withScene({ folder, store }, play) };
      }
    }
    // A kernel that says that it wrote one byte and wrote none: a file that is short, and nobody was told.
    for (const at of some(
      calls.filter(({ call }) => call === "write"),
      SHORT,
    )) {
      const name = `${store} lost bytes at ${at.call} ${at.n}`;
      const play = (scene) => threadMeets(scene, { ...at, fault: "retval=1" });
      yield { name, run: () => withScene({ folder, store }, play) };
    }
    for (const bytes of some(FILE_LIMITS, SHORT)) {
      const name = `${store} files of ${bytes} bytes at most`;
      yield {
        name,
        run: () => withScene({ folder, store }, (scene) => filesUpTo(scene, bytes)),
      };
    }
    for (const pages of some(FREE_PAGES, SHORT_OF_ROOM)) {
      const name = `${store} ${pages} pages free`;
      yield {
        name,
        run: () => withScene({ folder, store }, (scene) => inRoom(scene, { pages })),
      };
    }
    for (const files of some(FREE_FILES, SHORT_OF_ROOM)) {
      const name = `${store} ${files} files free`;
      yield {
        name,
        run: () => withScene({ folder, store }, (scene) => inRoom(scene, { files })),
      };
    }
    yield* ofVerbs(lab, store);
  }
  yield* ofOwnFiles(lab);
}

/** The same errors for every other command that changes a storage root. */
async function* ofVerbs(lab, store) {
  const { folder, some } = lab;
  for (const [name, verb] of Object.entries(VERBS)) {
    const calls = await withScene({ folder, store }, async (scene) => {
      const args = verb.args(await verb.prepare(scene, lab));
      return recordCalls(placeOf(verb, scene), args);
    });
    const faults = Object.entries(ERRORS).flatMap(([error, from]) =>
      calls.filter(({ call }) => from.test(call)).map((at) => ({ ...at, error })),
    );
    for (const { error, ...at } of some(faults, SHORT_OF_VERBS)) {
      const title = `${store} ${name} ${error} at ${at.call} ${at.n}`;
      const play = (scene) =>
        verbMeets(scene, { verb, lab, at: { ...at, fault: `error=${error}` } });
      yield { name: title, run: () => withScene({ folder, store }, play) };
    }
  }
}

/** The same for the files that the command itself consists of: no error of the system is a defect of ours. */
async function* ofOwnFiles({ folder, some }) {
  const store = STORES[0];
  const calls = await withScene({ folder, store }, (scene) =>
    recordCalls(scene, LOOK, { on: OWN_FILES }),
  );
  for (const [error, from] of Object.entries(OWN_ERRORS)) {
    const met = calls.filter(({ call }) => from.test(call));
    for (const at of some(met, SHORT)) {
      const play = async (scene) => {
        const ran = await withFault(scene, LOOK, { ...at, fault: `error=${error}`, on: OWN_FILES });
        if (ran.hit) expectTyped(ran);
        return { hit: ran.hit };
      };
      const name = `own files ${error} at ${at.call} ${at.n}`;
      yield { name, run: () => withScene({ folder, store }, play) };
    }
  }
}

async function threadMeets(scene, at) {
  const threadId = await stepsThread(scene);
  const ran = await withFault(scene, drive(threadId), at);
  await expectSound(scene);
  if (ran.hit) {
    expectTyped(ran);
    await expectResumes(scene, threadId);
    await expectSound(scene);
  }
  return { hit: ran.hit };
}

async function verbMeets(scene, { verb, lab, at }) {
  const given = await verb.prepare(scene, lab);
  const place = placeOf(verb, scene);
  const ran = await withFault(place, verb.args(given), at);
  if (ran.hit) expectTyped(ran);
  await expectSound(scene);
  await verb.half(scene, given);
  const again = await runCommand(verb.args(given), { root: scene.root, cwd: place.work });
  assert.ok(
    again.code === 0 || verb.already.includes(failureCode(again)),
    `again: ${again.stderr}`,
  );
  await verb.whole(scene, given);
  await expectSound(scene);
  return { hit: ran.hit };
}

async function filesUpTo(scene, bytes) {
  const threadId = await stepsThread(scene, { pad: PAD });
  const command = [process.execPath, COMMAND, "--json", ...drive(threadId)];
  const ran = await runProgram("prlimit", [`--fsize=${bytes}`, ...command], {
    root: scene.root,
    cwd: scene.work,
  });
  // The system's own answer to a file that grows too long is a signal.
  if (ran.signal !== "SIGXFSZ" && ran.code !== 153) expectTyped(ran);
  await expectSound(scene);
  await expectResumes(scene, threadId, { pad: PAD });
  await expectSound(scene);
}

/** The storage root lies on a file system of its own that fills up while the thread runs. */
async function inRoom(scene, free) {
  const threadId = await stepsThread(scene, { pad: PAD });
  await withTmpfs(scene, free, async ({ giveRoom }) => {
    const ran = await runCommand(drive(threadId), { root: scene.root, cwd: scene.work });
    expectTyped(ran);
    giveRoom();
    await expectSound(scene);
    await expectResumes(scene, threadId, { pad: PAD });
    await expectSound(scene);
  });
}

const drive = (threadId) => ["thread", "exec", threadId, "--count", "9"];
