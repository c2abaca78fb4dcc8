#!/usr/bin/env node
/** The one entry point of this repository: `node scripts/dev.mjs <task> [arguments]`.
 *
 *  Brings the toolchain (Node, pnpm) and the dependencies with it, so that a machine with any
 *  Node from 18 on and npm can run every task from a fresh clone. It has no dependencies and
 *  uses plain syntax, because it runs before anything is installed.
 *
 *  1. What it fetches stays inside `.cache/`; it changes nothing global.
 *  2. Its own words go to stderr, one line a step; stdout belongs to the task.
 *  3. Runs may overlap: tools are published by one rename, installing and building hold a lock.
 *  4. With `UNCAGED_PREPARED=1` it installs and builds nothing: for who has just done that, and runs many tasks. */
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { captured } from "./dev/captured.mjs";
import { DevError } from "./dev/dev-error.mjs";
import { withLock } from "./dev/lock.mjs";
import { run } from "./dev/run.mjs";
import { shellWord } from "./dev/shell-word.mjs";
import { TASKS, usage } from "./dev/tasks.mjs";
import { ensureToolchain } from "./dev/toolchain.mjs";

const PREPARED = "UNCAGED_PREPARED";

const root = fileURLToPath(new URL("..", import.meta.url));
const cache = join(root, ".cache");
const say = (line) => process.stderr.write(`dev: ${line}\n`);

async function main([name, ...args]) {
  if (name === undefined || name === "help" || name === "--help") {
    process.stdout.write(usage());
    return 0;
  }
  const task = Object.hasOwn(TASKS, name) ? TASKS[name] : undefined;
  if (name !== "env" && task === undefined) {
    throw new DevError(
      `there is no task "${name}"`,
      "Run `node scripts/dev.mjs help` for the list.",
    );
  }
  const asked = task?.here?.parse(args);
  const directories = await ensureToolchain({ cache, say });
  if (name === "env") {
    process.stdout.write(`export PATH=${shellWord(directories.join(delimiter))}:"$PATH"\n`);
    return 0;
  }
  const env = taskEnvironment(directories);
  await withLock({ file: join(cache, "prepare.lock"), say }, async () => {
    const isReady = process.env[PREPARED] === "1" || task.here?.needsNoBuild(asked);
    const steps = isReady ? [] : (task.prepare ?? []);
    for (const step of steps) await mustPass(step, env);
  });
  if (task.here !== undefined) {
    const node = join(directories[0], process.platform === "win32" ? "node.exe" : "node");
    const lines = task.here.run({ root, node, asked, env: process.env });
    process.stdout.write(`${lines.join("\n")}\n`);
    return 0;
  }
  for (const command of task.commands(args)) {
    const code = await run({ ...command, cwd: root, env: { ...env, ...command.env } });
    if (code !== 0) return code;
  }
  return 0;
}

/** Preparing is quiet: what a step wrote is shown when it failed. */
async function mustPass(step, env) {
  say(step.says);
  const { ok, code, output } = await captured({ ...step.command, cwd: root, env });
  if (ok) return;
  process.stderr.write(output);
  throw new DevError(`${step.says}: failed with code ${code}`, step.hint, code);
}

/** What `npm run` adds would reach pnpm and every child as settings of theirs, so it goes; and what is said of this clone
 *  is not true of another one in which a test runs a task. */
function taskEnvironment(directories) {
  const env = {};
  for (const [key, value] of Object.entries(process.env)) {
    if (!/^npm_/i.test(key) || KEPT_SETTINGS.test(key)) env[key] = value;
  }
  delete env[PREPARED];
  const pathKey = Object.keys(env).find((key) => key.toUpperCase() === "PATH") ?? "PATH";
  env[pathKey] = [...directories, join(root, "node_modules", ".bin"), env[pathKey]]
    .filter(Boolean)
    .join(delimiter);
  env.TURBO_TELEMETRY_DISABLED = "1";
  return env;
}

/** A person who sets these by environment has no other way to reach the registry. */
const KEPT_SETTINGS =
  /^npm_config_(registry|cafile|proxy|https_proxy|noproxy|strict_ssl|globalconfig)$/i;

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    if (!(error instanceof DevError)) throw error;
    say(`error: ${error.message}`);
    if (error.hint) say(error.hint);
    process.exitCode = error.exitCode;
  },
);
