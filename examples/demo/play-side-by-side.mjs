/** The second part of the demo: two agents work at once, each in a worktree of its own, and the merge queue lands what they
 *  did. One says that its tests pass, which is not so: the queue runs them itself, on the very files that would land.
 *  The agents are small scripts here; no model is used. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cli, command, environment, git, say, title } from "./stage.mjs";

/** Throws when any of it is not as it should be. */
export async function playSideBySide() {
  title("Two agents at once, each in a worktree of its own");
  const counter = spawnTask("count-words");
  const cutter = spawnTask("cut-text");
  const counts = "text.trim().split(/\\s+/).length";
  await Promise.all([
    work(counter, { name: "countWords", body: counts, given: "one two three", gives: 3 }),
    // It cuts one letter too early, and has never run its test.
    work(cutter, {
      name: "cutText",
      body: "text.slice(0, 4)",
      given: "slugs and snails",
      gives: "slugs",
    }),
  ]);
  say('count-words: "done, all tests pass"\ncut-text:    "done, all tests pass"   (a lie)');

  title("The merge queue runs the tests itself, on the files that would land");
  assert.deepEqual(merge(), { "count-words": "merged", "cut-text": "sent back" });
  say("count-words has landed; cut-text was sent back, with the test that fails");
  await work(cutter, {
    name: "cutText",
    body: "text.slice(0, 5)",
    given: "slugs and snails",
    gives: "slugs",
  });
  assert.deepEqual(merge(), { "cut-text": "merged" });
  say(
    `mended and run again by the queue, cut-text has landed, too:\n${git("log", "--oneline", "--first-parent", "-3", "main")}`,
  );
}

/** The folder of its worktree. */
function spawnTask(name) {
  return task("spawn", name).task.worktree;
}

/** What an agent does in its worktree: a function with its test, a commit, and the claim that it is done. */
async function work(cwd, { name, body, given, gives }) {
  const [file, expected] = [`${name}.js`, JSON.stringify(gives)];
  writeFileSync(join(cwd, "src", file), `export function ${name}(text) {\n  return ${body};\n}\n`);
  writeFileSync(
    join(cwd, "test", `${name}.test.js`),
    `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { ${name} } from "../src/${file}";\n\ntest("${name}", () => assert.equal(${name}(${JSON.stringify(given)}), ${expected}));\n`,
  );
  await run(cwd, process.execPath, cli, "task", "start");
  await run(cwd, "git", "add", ".");
  await run(cwd, "git", "commit", "--quiet", "--message", `feat: ${name}`);
  await run(cwd, process.execPath, cli, "task", "done");
}

/** Approves what is done, and merges it. Returns each task's outcome. */
function merge() {
  for (const { id, state } of task("status").tasks)
    if (state === "IN_REVIEW") task("approve", "--task", id);
  const { tasks } = task("merge", "--all", "--check", "npm test");
  return Object.fromEntries(
    tasks.map(({ task: { id, state } }) => [id, state === "COMPLETED" ? "merged" : "sent back"]),
  );
}

/** With tasks that were sent back the queue exits with 1. */
function task(...args) {
  const { stdout } = command(process.execPath, [cli, "task", ...args, "--json"], { mayFail: true });
  return JSON.parse(stdout);
}

function run(cwd, program, ...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: environment, stdio: "ignore" });
    child.once("error", reject);
    child.once("exit", (code) =>
      code === 0
        ? resolve()
        : reject(new Error(`${program} ${args.join(" ")} exited with ${code}`)),
    );
  });
}
