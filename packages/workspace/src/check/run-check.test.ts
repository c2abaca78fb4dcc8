import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CheckRule } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { CANARIES, presetOf } from "./canary-presets.ts";
import { checkScene, PROJECT, WRONG_ADD } from "./check-scene.test.helper.ts";
import { folderEvidence, memoryEvidence } from "./evidence-memo.ts";
import { pruneCheckCache } from "./prune-check-cache.ts";
import { runCheck } from "./run-check.ts";

const NODE: Partial<CheckRule> = { command: ["node", "--test"] };
const MUTE: Partial<CheckRule> = { canary: "none" };

test("evidence names the trees, the command and how the run was kept to itself", async () => {
  const scene = checkScene();
  const evidence = await scene.check(NODE);
  expect(evidence).toMatchObject({
    check: 1,
    tree: scene.base,
    base: scene.base,
    command: ["node", "--test"],
    environment: expect.stringMatching(/^[0-9a-f]{64}$/),
    controls: [],
    clean: { tree: scene.base, exitCode: 0, timedOut: false, changed: [] },
    controlled: null,
    canary: { tree: scene.base, exitCode: 1 },
    verdict: "passed",
    faults: [],
  });
  expect(evidence.clean.output).toContain("pass 3");
  const { by, network } = evidence.isolation;
  expect(network).toBe(by === "none" ? "open" : "off");
  scene.remove();
});

test("with bubblewrap a run cannot make writable again what is not its own, not even as root", async () => {
  const scene = checkScene();
  const elsewhere = mkdtempSync(join(homedir(), ".uwf-elsewhere-"));
  const file = join(elsewhere, "file");
  const again = `mount -o remount,bind,rw /; mount -o remount,rw /; touch ${file}; echo tried`;
  const { isolation, clean } = await scene.check({ command: ["sh", "-c", again] });
  expect(clean.output).toContain("tried");
  expect(existsSync(file)).toBe(isolation.by !== "bubblewrap");
  rmSync(elsewhere, { recursive: true });
  scene.remove();
});

test("nothing of a check stays in the folder for temporary files, and the user's repository is as it was", async () => {
  const scene = checkScene();
  const temporary = process.env.TMPDIR;
  process.env.TMPDIR = dirname(scene.folder);
  const before = [scene.git("status", "--porcelain"), scene.git("count-objects", "-v")];
  try {
    await scene.check({ command: ["true"] });
    expect(readdirSync(dirname(scene.folder))).toEqual(["shop"]);
    expect([scene.git("status", "--porcelain"), scene.git("count-objects", "-v")]).toEqual(before);
  } finally {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
    scene.remove();
  }
});

test("the run sees an empty home, a short list of variables, and no secret of ours", async () => {
  const scene = checkScene({
    "look.js":
      'import { readdirSync } from "node:fs";\nconsole.log(JSON.stringify({ home: readdirSync(process.env.HOME), env: Object.keys(process.env).sort(), said: "hunter2-hunter2" }));\n',
  });
  process.env.CHECK_TEST_TOKEN = "hunter2-hunter2";
  try {
    const { clean } = await scene.check({ command: ["node", "look.js"] });
    const seen = JSON.parse(clean.output);
    expect(seen.home).toEqual([]);
    expect(seen.env).not.toContain("CHECK_TEST_TOKEN");
    expect(seen.said).toBe("[CHECK_TEST_TOKEN]");
  } finally {
    delete process.env.CHECK_TEST_TOKEN;
    scene.remove();
  }
});

test("a command that does not end in time is ended, and the next check asks again", async () => {
  const scene = checkScene({ "wait.js": "setInterval(() => {}, 1000);\n" });
  const memo = memoryEvidence();
  const rule = { command: ["node", "wait.js"], timeoutMs: 300 };
  const first = await scene.check(rule, { memo });
  expect(first).toMatchObject({
    verdict: "failed",
    clean: { exitCode: null, timedOut: true },
    faults: [{ kind: "command_failed", message: expect.stringContaining("did not end in time") }],
  });
  expect(await scene.check(rule, { memo })).not.toBe(first);
  scene.remove();
});

test("an abort ends the run and takes its folder away", async () => {
  const scene = checkScene({ "wait.js": "setInterval(() => {}, 1000);\n" });
  const stop = new AbortController();
  const running = scene.check({ command: ["node", "wait.js"] }, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 300);
  await expect(running).rejects.toThrow("enough");
  scene.remove();
});

test("a command that is not there fails, and says so", async () => {
  const scene = checkScene();
  const evidence = await scene.check({ command: ["no-such-program"] });
  expect(evidence).toMatchObject({ verdict: "failed" });
  expect(evidence.clean.output).toMatch(/no-such-program/);
  scene.remove();
});

test("with an approver a changed control waits for one; without, it may change while the tests of the base pass", async () => {
  const scene = checkScene();
  scene.write({ ".github/ci.yml": "on: push\n" });
  const rule = { command: ["true"] };
  expect(await scene.check(rule)).toMatchObject({
    verdict: "passed",
    controls: [".github/ci.yml"],
    controlled: { exitCode: 0 },
  });
  expect(await scene.check({ ...rule, approver: ["reviewer"] })).toMatchObject({
    verdict: "unapproved",
    faults: [{ kind: "controls_changed", message: expect.stringContaining("reviewer has to") }],
  });
  scene.remove();
});

test("tests that were changed together with what they test wait for an approver", async () => {
  const scene = checkScene();
  scene.write({
    "src/add.js": WRONG_ADD,
    "test/add.test.js": String(PROJECT["test/add.test.js"])
      .replace("add(1, 2), 3", "add(1, 2), -1")
      .replace("add(-1, 1), 0", "add(-1, 1), -2"),
    "test/price.test.js": null,
  });
  const evidence = await scene.check({ ...NODE, ...MUTE, approver: ["ada"] });
  expect(evidence).toMatchObject({ verdict: "unapproved", controlled: { exitCode: 1 } });
  scene.remove();
});

test("files of the author's own choice are controls as well", async () => {
  const scene = checkScene({ ...PROJECT, "golden/x.txt": "x\n" });
  scene.write({ "golden/x.txt": "y\n" });
  const evidence = await scene.check({ command: ["true"], protect: ["golden/**"] });
  expect(evidence.controls).toEqual(["golden/x.txt"]);
  scene.remove();
});

test("tracked files may be changed by the command where the author says so", async () => {
  const scene = checkScene({
    "go.js": 'import { writeFileSync } from "node:fs";\nwriteFileSync("out/a.txt", "new");\n',
    "package.json": '{"type":"module"}',
    "out/a.txt": "old",
  });
  const command = ["node", "go.js"];
  expect(await scene.check({ command })).toMatchObject({
    verdict: "failed",
    clean: { exitCode: 0, changed: ["out/a.txt"] },
    faults: [{ kind: "files_changed" }],
  });
  expect(await scene.check({ command, writes: ["out/*"] })).toMatchObject({ verdict: "passed" });
  scene.remove();
});

test("the author's own canary has to make the command fail", async () => {
  const scene = checkScene();
  const rule = { command: ["sh", "-c", "for each in test/*.js; do node $each || exit 1; done"] };
  const canary = { path: "test/canary.test.js", content: 'throw new Error("canary");\n' };
  expect(await scene.check({ ...rule, canary })).toMatchObject({ verdict: "passed" });
  const elsewhere = { ...canary, path: "elsewhere/canary.js" };
  expect(await scene.check({ ...rule, canary: elsewhere })).toMatchObject({
    faults: [{ kind: "nothing_tested" }],
  });
  scene.remove();
});

test("a runner that stops at the first failure, and files that it does not take up, hold nothing up", async () => {
  const scene = checkScene({
    ...PROJECT,
    "run.js":
      'import { spawnSync } from "node:child_process";\nfor (const name of ["add", "price"]) if (spawnSync(process.execPath, ["test/" + name + ".test.js"], { stdio: "inherit" }).status !== 0) process.exit(1);\n',
    "test/never.test.js": 'import { test } from "node:test";\ntest("never", () => {});\n',
  });
  const rule: Partial<CheckRule> = { command: ["node", "run.js"], canary: "node:test" };
  expect(await scene.check(rule)).toMatchObject({ verdict: "passed" });
  scene.write({ "src/price.js": `${PROJECT["src/price.js"]}process.exit(0);\n` });
  expect(await scene.check(rule)).toMatchObject({ faults: [{ kind: "nothing_tested" }] });
  scene.remove();
}, 120_000);

test("what a setup installs is made once for a lockfile, from the base, and never from the tree", async () => {
  const scene = checkScene({
    ...PROJECT,
    "setup.sh":
      "date +%N > /dev/null; mkdir -p node_modules/x; head -c 8 /dev/urandom | od -An -tx1 > node_modules/x/id\n",
    "show.js":
      'import { readFileSync } from "node:fs";\nconsole.log(readFileSync("node_modules/x/id", "utf8"));\n',
  });
  const rule = { setup: ["sh", "setup.sh"], command: ["node", "show.js"] };
  const first = await scene.check(rule);
  scene.write({
    "setup.sh": "mkdir -p node_modules/x; echo mine > node_modules/x/id\n",
    "src/x.js": "",
  });
  const second = await scene.check(rule);
  expect(second.clean.output).toBe(first.clean.output);
  const repository = {
    workTree: scene.folder,
    gitDir: `${scene.folder}/.git`,
    commonDir: `${scene.folder}/.git`,
    objectFormat: "sha1" as const,
  };
  const failing = { ...rule, setup: ["sh", "-c", "echo no; exit 3"] };
  expect(
    await runCheck({
      repository,
      tree: scene.base,
      base: scene.base,
      check: failing,
      cache: `${scene.folder}/../cache`,
    }),
  ).toMatchObject({
    ok: false,
    error: { code: "CHECK_FAILED", message: expect.stringContaining("exited with 3: no") },
  });
  expect(existsSync(`${scene.folder}/node_modules`)).toBe(false);
  scene.remove();
});

test("evidence that did not fail is there for other processes, unless its file is another's", async () => {
  const scene = checkScene();
  const folder = join(dirname(scene.folder), "evidence");
  const rule = { command: ["grep", "-q", "a + b", "src/add.js"] };
  const anew = () => memoryEvidence(folderEvidence(folder));
  const first = await scene.check(rule, { memo: anew() });
  expect(await scene.check(rule, { memo: anew() })).toEqual(first);
  const [file = ""] = readdirSync(folder);
  const stored = readFileSync(join(folder, file), "utf8");
  writeFileSync(join(folder, file), stored.replaceAll(scene.base, "1".repeat(40)));
  const again = await scene.check(rule, { memo: anew() });
  expect(again.clean.durationMs).not.toBe(first.clean.durationMs);
  scene.write({ "src/add.js": WRONG_ADD });
  const failed = await scene.check(rule, { memo: anew() });
  expect(failed.verdict).toBe("failed");
  expect(readdirSync(folder)).toEqual([file]);
  scene.remove();
});

test("a run sees more folders of programs and more variables where it is told to", async () => {
  const scene = checkScene({ "tool!": "#!/bin/sh\necho $GREETING from $0, home $HOME\n" });
  const rule = { command: ["tool"], variables: { GREETING: "hello", HOME: "/root" } };
  const { clean } = await scene.check(rule, { places: { path: [scene.folder] } });
  expect(clean.output).toMatch(/^hello from .*tool, home .*\/home\n$/);
  scene.remove();
});

test("what checks keep goes when nobody used it for long, or when it is too much", async () => {
  const root = mkdtempSync(join(tmpdir(), "uwf-cache-"));
  const [dependencies, evidence] = [join(root, "dependencies"), join(root, "evidence")];
  const nowMs = Date.now();
  const put = (folder: string, name: string, days: number): void => {
    const file = folder === evidence ? join(folder, name) : join(folder, name, "entries");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "x");
    const at = new Date(nowMs - days * 86_400_000);
    utimesSync(file, at, at);
  };
  for (let at = 0; at < 23; at++) put(dependencies, `each${at}`, at < 21 ? 0.5 : at / 10);
  put(dependencies, "old", 31);
  put(evidence, "fresh.json", 29);
  put(evidence, "old.json", 31);
  const places = { dependencies, evidence };
  const gone = { installs: 3, evidence: 1 };
  expect(await pruneCheckCache(places, { nowMs, dryRun: true })).toEqual(gone);
  expect(await pruneCheckCache(places, { nowMs, dryRun: false })).toEqual(gone);
  expect(readdirSync(evidence)).toEqual(["fresh.json"]);
  expect(readdirSync(dependencies)).toHaveLength(21);
  expect(await pruneCheckCache(places, { nowMs, dryRun: false })).toMatchObject({ installs: 0 });
  rmSync(root, { recursive: true });
});

test("an id that names no tree is an error", async () => {
  const scene = checkScene();
  await expect(scene.check(NODE, { tree: "HEAD" })).rejects.toThrow(/is no id of a tree/);
  await expect(scene.check(NODE, { tree: "1".repeat(40) })).rejects.toThrow(/git/);
  scene.remove();
});

test("the runner is known by the command, or by the script that it names", () => {
  expect(presetOf("npx vitest run")).toBe("vitest");
  expect(presetOf("npm test tsc && node --experimental-x --test test/")).toBe("node:test");
  expect(presetOf("python3 -m pytest -q")).toBe("pytest");
  expect(presetOf("cargo +nightly test")).toBe("cargo test");
  expect(presetOf("go test ./...")).toBe("go test");
  expect(presetOf("make check")).toBeNull();
});

test("every preset writes its canary into or beside a file of tests", () => {
  for (const [name, canary] of Object.entries(CANARIES)) {
    const how = { mark: "/tmp/mark", name: "canary_x", fails: true, alone: false };
    const test = { path: "a/x_test.go", text: "package a\n\nfunc TestA(t *testing.T) {}\n" };
    const written = canary.write(test, how);
    expect(written.text, name).toContain("/tmp/mark");
    expect(written.text, name).toContain("canary: this test must fail");
    expect(canary.write(test, { ...how, fails: false }).text, name).not.toContain('must fail"');
  }
});
