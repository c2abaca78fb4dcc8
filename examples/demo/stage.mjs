/** Where the demo plays: one temporary folder with a git repository, a storage root and the built command. It is
 *  removed at the end (`--keep` leaves it there to look at; `--page` shows it in a browser first). */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const TASK = "slugify() leaves double and trailing hyphens: make `npm test` pass.";

const here = fileURLToPath(new URL(".", import.meta.url));
export const cli = fileURLToPath(
  new URL("../../packages/cli/bin/uncaged-workflow.mjs", import.meta.url),
);
export const keep = process.argv.includes("--keep");
export const page = process.argv.includes("--page");
export const folder = mkdtempSync(join(tmpdir(), "uncaged-demo-"));
export const repository = join(folder, "slugs");
export const storage = join(folder, "storage");
const bin = join(folder, "bin");
export const environment = {
  ...process.env,
  // Agents call the command by its name, and need the Node that it needs.
  PATH: [bin, dirname(process.execPath), process.env.PATH].join(delimiter),
  UNCAGED_WORKFLOW_STORAGE_ROOT: storage,
  DEMO_FOLDER: folder,
  DEMO_RECORDINGS: join(folder, "recordings"),
  DEMO_CLI: cli,
};

/** What `play` returns; its folder is removed afterwards. */
export async function onStage(play) {
  try {
    mkdirSync(bin);
    symlinkSync(cli, join(bin, "uncaged-workflow"));
    const played = await play();
    if (page) await showPage();
    return played;
  } finally {
    if (!keep) rmSync(folder, { recursive: true, force: true });
  }
}

/** Until Ctrl-C, which reaches the command as well: this process stays to remove the folder. */
async function showPage() {
  title("The page");
  const options = { cwd: folder, env: environment, stdio: "inherit" };
  const dashboard = spawn(process.execPath, [cli, "dashboard"], options);
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => dashboard.kill());
  await once(dashboard, "close");
}

/** Its suite fails until the job is done. */
export function makeRepository() {
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

/** Builds the workflow of a file here, with the files that it needs, and registers it as `develop`. */
export function buildAndRegister(file, needs) {
  for (const name of [file, ...needs]) {
    cpSync(join(here, name), join(folder, name), { recursive: true });
  }
  mkdirSync(join(folder, "dist"));
  const out = join(folder, "dist", "develop.esm.js");
  const built = uncaged("workflow", "build", join(folder, file), "--out", out);
  const added = uncaged("workflow", "add", "develop", built.file);
  assert.equal(added.hash, built.hash);
  say(`built to one file and registered as develop, version ${added.hash}`);
}

/** What came out: a commit whose tests pass, of a thread that can be proven. */
export function checkResult(threadId) {
  title("What came out");
  say(git("log", "--oneline", "--stat", "-1"));
  assert.equal(command("npm", ["test"]).status, 0);
  say("npm test passes now");
  const verified = uncaged("thread", "verify", threadId);
  assert.equal(verified.ok, true);
  say(`thread verify: ok, ${verified.checked} blobs re-hashed, every route evaluated again`);
}

/** The steps, one line each. */
export function tellSteps({ steps, result }) {
  title("The path it took, and why");
  for (const { round, role, route, meta } of steps) {
    const why = `${route.from} → ${route.condition}`.padEnd(28);
    const outcome = meta.status ?? meta.summary ?? meta.message ?? "";
    say(`${String(round).padStart(2)}  ${role.padEnd(10)} ${why} ${outcome}`);
  }
  say(`    ${result.summary}`);
}

export function howToLook(threadId) {
  const id = threadId.slice(-6);
  say(`export UNCAGED_WORKFLOW_STORAGE_ROOT=${storage}`);
  say(`alias uwf="node ${cli}"`);
  say(`uwf thread show ${id}`);
}

/** Runs the built CLI and returns its JSON document. */
export function uncaged(...args) {
  const { stdout } = command(process.execPath, [cli, ...args, "--json"], { cwd: folder });
  return JSON.parse(stdout);
}

export function git(...args) {
  return command("git", args).stdout.trim();
}

export function command(program, args, { cwd = repository, mayFail = false } = {}) {
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

export function title(text) {
  console.log(`\n── ${text}`);
}

export function say(text) {
  console.log(text.replace(/^/gm, "   "));
}
