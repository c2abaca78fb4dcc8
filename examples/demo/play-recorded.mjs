/** The demo without a model: recorded agents, a runner that is killed half-way, a thread that goes on. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { playSideBySide } from "./play-side-by-side.mjs";
import {
  buildAndRegister,
  checkResult,
  folder,
  howToLook,
  keep,
  makeRepository,
  onStage,
  page,
  repository,
  say,
  TASK,
  tellSteps,
  title,
  uncaged,
} from "./stage.mjs";

const EXPECTED = "planner coder coder reviewer tester coder reviewer tester committer";
/** The runner is killed while step 6 is at work: after the failed test, before its correction. */
const KILL_AFTER_STEPS = 5;

/** Throws when any of it is not as it should be. */
export function playRecorded() {
  return onStage(async () => {
    title("A git repository with a bug");
    makeRepository();
    title("A workflow: the develop template, agents bound to its roles");
    buildAndRegister("workflow.ts", ["recorded.mjs", "commit.mjs", "recordings"]);
    say(
      "tester and committer do real work; planner, coder and reviewer are RECORDED outputs,\nthe first patch wrong on purpose (no model is used)",
    );
    const threadId = start();
    await killHalfWay(threadId);
    const shown = await resume(threadId);
    tellSteps(shown);
    assert.equal(shown.steps.map((step) => step.role).join(" "), EXPECTED);
    assert.equal(shown.status, "completed");
    checkResult(threadId);
    await playSideBySide();
    tryNext(threadId);
  });
}

function start() {
  title("Run it");
  const { threadId } = uncaged("thread", "run", "develop", "--prompt", TASK, "--cwd", repository);
  say(`thread ${threadId}: ${TASK}`);
  return threadId;
}

async function killHalfWay(threadId) {
  const thread = await until(
    () => threadIn("list", threadId),
    ({ stepCount }) => stepCount >= KILL_AFTER_STEPS,
  );
  const { pid } = threadIn("ps", threadId);
  process.kill(pid, "SIGKILL");
  // The system may take a moment to end it, and as long it owns its thread.
  await until(
    () => threadIn("list", threadId),
    ({ status }) => status === "idle",
  );
  say(
    `killed its runner (kill -9 ${pid}) after step ${thread.stepCount}, while step ${thread.stepCount + 1} was at work`,
  );
}

async function resume(threadId) {
  title("Resume it");
  const before = uncaged("thread", "show", threadId);
  uncaged("thread", "resume", threadId);
  await until(
    () => threadIn("list", threadId),
    ({ status }) => status !== "running",
  );
  const after = uncaged("thread", "show", threadId);
  const kept = after.steps.slice(0, before.steps.length).map((step) => step.stateHash);
  assert.deepEqual(
    kept,
    before.steps.map((step) => step.stateHash),
    "finished steps must be kept as they were",
  );
  say(
    `went on with step ${before.steps.length + 1}; none of the ${before.steps.length} finished steps ran again`,
  );
  return after;
}

function tryNext(threadId) {
  title("Try next");
  if (keep) {
    howToLook(threadId);
    say(`uwf thread fork ${threadId.slice(-6)} --from-step 4 --idle\nuwf workflow show develop`);
  } else {
    say("npm run demo -- --keep             leaves the folder, and prints commands to explore it");
    say("npm run demo -- --agent claude     the same job, played by an agent that you have");
  }
  if (!page) say("npm run demo -- --page             the same job, then the dashboard on it");
  say('README.md, "Ten minutes"           a workflow of your own');
}

function threadIn(list, threadId) {
  const { threads } = uncaged("thread", list);
  return threads.find((thread) => thread.threadId === threadId);
}

async function until(look, done) {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const value = look();
    if (value !== undefined && done(value)) return value;
    await sleep(50);
  }
  throw new Error(`it did not come that far in a minute; see ${folder} (run with --keep)`);
}
