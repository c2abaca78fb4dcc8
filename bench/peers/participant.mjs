/** One system in a process of its own, which does what the parent says, a message at a time:
 *
 *  - `open`: opens it in `folder`; answers with its version.
 *  - `begin`: a new thread of `steps`, up to the work of its first step.
 *  - `advance`: `count` more steps of the thread, or as many as `maxMs` allows; answers with the
 *    milliseconds of each, from the work of its role to the work of the next one, and those of what it had
 *    put off until after them: nobody works in another's turn.
 *  - `fan`: so many members at once, and their join; answers with the milliseconds until the results were there, and
 *    those of what was put off.
 *  - `close`.
 *
 *  1. Two threads, told apart by `thread`, may be under way; one of them waits in its role.
 *  2. When the parent is gone, so is this process, and with it the servers it started. */
import { SYSTEMS } from "./systems.mjs";

let system;
let active;
const gates = {};

const DEEDS = {
  async open({ name, folder }) {
    system = await SYSTEMS[name].open(folder);
    return { version: system.version };
  },
  async begin({ thread, steps }) {
    active = gates[thread] = newGate();
    const arrived = active.nextStop();
    system.thread(steps, () => active.between()).then(() => gates[thread].end(), fail);
    await arrived;
    return {};
  },
  async advance({ thread, count, maxMs }) {
    active = gates[thread];
    const stopped = active.nextStop();
    active.open({ count, maxMs });
    const times = await stopped;
    const stoppedAt = performance.now();
    await system.rest?.();
    return { times, restMs: performance.now() - stoppedAt };
  },
  async fan({ members }) {
    const startedAt = performance.now();
    const steps = await system.fan(members);
    const joinedAt = performance.now();
    if (
      steps.length !== members ||
      steps.toSorted((a, b) => a - b).some((step, at) => step !== at + 1)
    )
      throw new Error(`${steps.length} results of ${members} members, or some of them twice`);
    await system.rest?.();
    return { joinedMs: joinedAt - startedAt, restMs: performance.now() - joinedAt };
  },
  async close() {
    await system.close();
    return {};
  },
};

process.on("disconnect", () => process.exit());
process.on("SIGINT", () => {});
process.on("message", ({ deed, ...words }) => {
  DEEDS[deed](words).then((answer) => process.send(answer), fail);
});

function fail(error) {
  process.send({ error: error instanceof Error ? error.stack : String(error) });
}

/** Lets so many steps through, times them, and says when it has stopped. */
function newGate() {
  let left = 0;
  let deadline = 0;
  let resumedAt = null;
  let times = [];
  let stop = () => {};
  let go = () => {};
  const arrive = () => {
    const now = performance.now();
    if (resumedAt !== null) times.push(now - resumedAt);
    if (now > deadline) left = 0;
  };
  const halt = () => {
    stop(times);
    times = [];
    resumedAt = null;
  };
  return {
    nextStop: () =>
      new Promise((resolve) => {
        stop = resolve;
      }),
    open({ count, maxMs }) {
      left = count;
      deadline = performance.now() + maxMs;
      go();
    },
    async between() {
      arrive();
      if (left === 0) {
        const opened = new Promise((resolve) => {
          go = resolve;
        });
        halt();
        await opened;
      }
      left -= 1;
      resumedAt = performance.now();
    },
    end() {
      arrive();
      halt();
    },
  };
}
