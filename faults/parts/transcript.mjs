/** Threads of the workflow `steps`: run, resumed, and held against what they must say. */
import assert from "node:assert/strict";
import { execThread, viewThread } from "@uncaged/workflow-execute";
import { begun, idleThread, successOf, withEngine } from "./scene.mjs";

export const STEPS = 3;

/** A thread of the workflow `steps` that waits for its first step. */
export function stepsThread(scene, { steps = STEPS, sleepMs = 0, pad = 0, ...manner } = {}) {
  const { root, work } = scene;
  const prompt = { steps, sleepMs, pad, ...manner };
  return withEngine(root, (engine) => idleThread(engine, { work, workflow: "steps", prompt }));
}

/** Makes up to `count` steps in this process. */
export function makeSteps(scene, threadId, count) {
  return withEngine(scene.root, async (engine) => {
    const thread = await engine.store.get(threadId);
    const { signal } = new AbortController();
    return execThread(engine, thread, { count, signal });
  });
}

export function viewOf(scene, threadId) {
  return withEngine(scene.root, async (engine) =>
    viewThread(engine, await engine.store.get(threadId)),
  );
}

/** How many steps the engine has acknowledged: it begins one only when those before it are published. */
export function acknowledged({ work }, steps = STEPS) {
  const last = begun(work).at(-1);
  if (last === undefined) return 0;
  return last === 0 ? steps : last - 1;
}

/** After a fault and before anything else is done: no acknowledged step is missing. Then the thread goes on
 *  to its end: it says what it must, and only the step in flight has begun twice. */
export async function expectResumes(scene, threadId, about = {}) {
  const { steps = STEPS, pad = 0, known = acknowledged(scene, steps) } = about;
  const before = await viewOf(scene, threadId);
  assert.ok(before.steps.length >= known, `${before.steps.length} of ${known} acknowledged steps`);
  const seen = begun(scene.work).length;
  if (before.result === null) successOf(await makeSteps(scene, threadId, steps + 9));
  const after = await viewOf(scene, threadId);
  assert.equal(after.status, "completed", `${after.status}: ${after.result?.summary}`);
  assert.deepEqual(after.steps.map(said), transcript(steps, pad));
  const again = begun(scene.work).slice(seen);
  const done = before.steps.length;
  const expected = numbers(steps).slice(done);
  assert.deepEqual(again, expected, "a step that was there ran again");
}

function transcript(steps, pad) {
  return numbers(steps).map((step) =>
    step === 0 ? ["checker", '{"ok":true}'] : ["worker", `step ${step}${"·".repeat(pad)}`],
  );
}

const numbers = (steps) => [...Array.from({ length: steps }, (_, index) => index + 1), 0];
const said = ({ role, content }) => [role, content];
