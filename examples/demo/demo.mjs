/** `npm run demo`: a real job through a real workflow, offline, in half a minute.
 *
 *  It makes a git repository with a bug and a failing test, builds and registers the `develop` workflow, runs
 *  it, kills its runner half-way, resumes it, and verifies what came out. Everything happens in one temporary
 *  folder, which is removed at the end (`--keep` leaves it there to look at).
 *  Exits non-zero when any of it is not as it should be. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const cli = fileURLToPath(new URL("../../packages/cli/bin/uncaged-workflow.mjs", import.meta.url));
const keep = process.argv.includes("--keep");
const folder = mkdtempSync(join(tmpdir(), "uncaged-demo-"));
const repository = join(folder, "slugs");
const environment = {
  ...process.env,
  UNCAGED_WORKFLOW_STORAGE_ROOT: join(folder, "storage"),
  DEMO_FOLDER: folder,
  DEMO_RECORDINGS: join(folder, "recordings"),
  DEMO_CLI: cli,
};
const TASK = "slugify() leaves double and trailing hyphens: make `npm test` pass.";
const EXPECTED = "planner coder coder reviewer tester coder reviewer tester committer";
/** The runner is killed while step 6 is at work: after the failed test, before its correction. */
const KILL_AFTER_STEPS = 5;

try {
  await main();
} finally {
  if (!keep) rmSync(folder, { recursive: true, force: true });
}

async function main() {
  makeRepository();
  buildAndRegister();
  const threadId = start();
  await killHalfWay(threadId);
  const shown = await resume(threadId);
  report(threadId, shown);
  tryNext(threadId);
}

function makeRepository() {
  title("A git repository with a bug");
  cpSync(join(here, "project"), repository, { recursive: true });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Demo");
  git("config", "user.email", "demo@localhost");
  git("add", ".");
  git("commit", "--quiet", "--message", "feat: slugify");
  const tests = command("npm", ["test"], { mayFail: true });
  assert.notEqual(tests.status, 0, "the test must fail before the job is done");
  say(`${repository}\nIts test suite fails: ${lastLines(tests.stdout, /not ok|✖/, 1)}`);
}

function buildAndRegister() {
  title("A workflow: the develop template, agents bound to its roles");
  for (const name of ["workflow.ts", "recorded.mjs", "commit.mjs", "recordings"]) {
    cpSync(join(here, name), join(folder, name), { recursive: true });
  }
  mkdirSync(join(folder, "dist"));
  const out = join(folder, "dist", "develop.esm.js");
  const built = uncaged("workflow", "build", join(folder, "workflow.ts"), "--out", out);
  const added = uncaged("workflow", "add", "develop", built.file);
  assert.equal(added.hash, built.hash);
  say(`built to one file and registered as develop, version ${added.hash}`);
  say(
    "tester and committer do real work; planner, coder and reviewer are RECORDED outputs,\nthe first patch wrong on purpose (no model is used)",
  );
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

function report(threadId, shown) {
  title("The path it took, and why");
  for (const { round, role, route, meta } of shown.steps) {
    say(
      `${String(round).padStart(2)}  ${role.padEnd(10)} ${`${route.from} → ${route.condition}`.padEnd(28)} ${outcome(meta)}`,
    );
  }
  say(`    ${shown.result.summary}`);
  const path = shown.steps.map((step) => step.role).join(" ");
  assert.equal(path, EXPECTED);
  assert.equal(shown.status, "completed");

  title("What came out");
  say(git("log", "--oneline", "--stat", "-1"));
  assert.equal(command("npm", ["test"]).status, 0);
  say("npm test passes now");
  const verified = uncaged("thread", "verify", threadId);
  assert.equal(verified.ok, true);
  say(`thread verify: ok, ${verified.checked} blobs re-hashed, every route evaluated again`);
}

function tryNext(threadId) {
  title("Try next");
  if (keep) {
    say(`export UNCAGED_WORKFLOW_STORAGE_ROOT=${environment.UNCAGED_WORKFLOW_STORAGE_ROOT}`);
    say(`alias uwf="node ${cli}"`);
    say(
      `uwf thread show ${threadId.slice(-6)}\nuwf thread fork ${threadId.slice(-6)} --from-step 4 --idle\nuwf workflow show develop`,
    );
  } else {
    say("npm run demo -- --keep     leaves the folder, and prints commands to explore it");
  }
  say("uncaged-workflow init my-flows     starts a workflow of your own");
}

function outcome(meta) {
  return meta.status ?? meta.summary ?? meta.message ?? "";
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

/** Runs the built CLI and gives its JSON document. */
function uncaged(...args) {
  const { stdout } = command(process.execPath, [cli, ...args, "--json"], { cwd: folder });
  return JSON.parse(stdout);
}

function git(...args) {
  return command("git", args).stdout.trim();
}

function command(program, args, { cwd = repository, mayFail = false } = {}) {
  const result = spawnSync(program, args, { cwd, env: environment, encoding: "utf8" });
  if (result.error) throw result.error;
  if (result.status !== 0 && !mayFail) {
    throw new Error(
      `${program} ${args.join(" ")} exited with ${result.status}\n${result.stdout}${result.stderr}`,
    );
  }
  return result;
}

function lastLines(text, pattern, count) {
  return text
    .split("\n")
    .filter((line) => pattern.test(line))
    .slice(0, count)
    .join("\n")
    .trim();
}

function title(text) {
  console.log(`\n── ${text}`);
}

function say(text) {
  console.log(text.replace(/^/gm, "   "));
}
