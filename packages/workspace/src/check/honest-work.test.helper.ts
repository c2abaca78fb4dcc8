import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CheckScene, PROJECT } from "./check-scene.test.helper.ts";

export type Work = { name: string; work: (scene: CheckScene) => void };

const files =
  (changed: Parameters<CheckScene["write"]>[0]) =>
  (scene: CheckScene): void =>
    scene.write(changed);

const nodeTest = (body: string, imports = ""): string =>
  `import assert from "node:assert/strict";\nimport { test } from "node:test";\n${imports}\n${body}\n`;

const manifest = JSON.parse(String(PROJECT["package.json"]));

/** Changes that leave the work right; they touch different files, so that any of them go together. */
export const HONEST: readonly Work[] = [
  { name: "nothing is changed", work: () => {} },
  {
    name: "a function is written anew",
    work: files({ "src/add.js": "/** Sum. */\nexport const add = (a, b) => b + a;\n" }),
  },
  {
    name: "a module and its tests are added",
    work: files({
      "src/mul.js": "export const mul = (a, b) => a * b;\n",
      "test/mul.test.js": nodeTest(
        'test("multiplies", () => assert.equal(mul(2, 3), 6));',
        'import { mul } from "../src/mul.js";',
      ),
    }),
  },
  {
    name: "a test is made stronger",
    work: files({
      "test/price.test.js": `${PROJECT["test/price.test.js"]}test("sums one", () => assert.equal(total([4]), 4));\n`,
    }),
  },
  {
    name: "a file of tests is renamed",
    work: files({
      "test/add.test.js": null,
      "test/adding.test.js": String(PROJECT["test/add.test.js"]),
    }),
  },
  {
    name: "a module moves, and the one that uses it follows",
    work: files({
      "src/price.js":
        'import { add } from "./add.js";\nimport { sum } from "./lib/sum.js";\n\nexport const total = (prices) => sum(prices, add);\n',
      "src/lib/sum.js": "export const sum = (all, add) => all.reduce(add, 0);\n",
    }),
  },
  { name: "a document is changed", work: files({ "README.md": "# The shop\n\nSells.\n" }) },
  {
    name: "the manifest gets a version and a script",
    work: files({
      "package.json": JSON.stringify({
        ...manifest,
        version: "1.1.0",
        scripts: { ...manifest.scripts, lint: "true" },
      }),
    }),
  },
  { name: "more is ignored", work: files({ ".gitignore": "node_modules/\n*.log\ndist/\n" }) },
  { name: "an example of an environment", work: files({ ".env.example": "PORT=80\n" }) },
  { name: "names with blanks", work: files({ "docs/a file.md": "a\n", "docs/b  c/d.md": "b\n" }) },
  { name: "names that are not ASCII", work: files({ "docs/größe-日本.md": "ß\n" }) },
  { name: "names with quotes and dashes", work: files({ 'docs/-it\'s "so".md': "x\n" }) },
  { name: "a name with a line break", work: files({ "docs/a\nb.md": "x\n" }) },
  { name: "a program", work: files({ "bin/shop!": "#!/bin/sh\necho shop\n" }) },
  {
    name: "a link inside",
    work: (scene) => {
      scene.write({ "docs/main.md": "x\n", "docs/link.md": null });
      symlinkSync("main.md", join(scene.folder, "docs/link.md"));
    },
  },
  {
    name: "a link to a folder, up and down",
    work: (scene) => {
      scene.write({ "docs/deep/x.md": "x\n", "docs/src": null });
      symlinkSync("../src", join(scene.folder, "docs/src"));
    },
  },
  {
    name: "a file of bytes",
    work: (scene) => {
      scene.write({ "assets/.keep": "" });
      writeFileSync(join(scene.folder, "assets/x.bin"), Buffer.from([0, 255, 13, 10, 0]));
    },
  },
  { name: "line ends of Windows", work: files({ "docs/dos.txt": "a\r\nb\r\n" }) },
  { name: "attributes", work: files({ ".gitattributes": "*.txt text\n*.bat eol=crlf\n" }) },
  { name: "an empty file", work: files({ "src/empty.js": "" }) },
  {
    name: "a large file",
    work: files({ "assets/large.txt": "0123456789abcdef\n".repeat(60_000) }),
  },
  { name: "a long path", work: files({ [`${"deep/".repeat(30)}x.txt`]: "x\n" }) },
  { name: "another workflow of CI", work: files({ ".github/workflows/ci.yml": "on: push\n" }) },
  { name: "advice for agents", work: files({ "AGENTS.md": "Be brief.\n" }) },
  { name: "a lockfile", work: files({ "package-lock.json": '{ "lockfileVersion": 3 }\n' }) },
  {
    name: "tests that use the folder for temporary files, and the home",
    work: files({
      "test/places.test.js": nodeTest(
        'test("places", () => { for (const folder of [tmpdir(), homedir()]) { const file = join(folder, "x"); writeFileSync(file, "x"); assert.equal(readFileSync(file, "utf8"), "x"); } });',
        'import { readFileSync, writeFileSync } from "node:fs";\nimport { homedir, tmpdir } from "node:os";\nimport { join } from "node:path";',
      ),
    }),
  },
  {
    name: "tests that serve and ask on this machine",
    work: files({
      "test/server.test.js": nodeTest(
        'test("answers", async () => { const server = createServer((_, answer) => answer.end("hi")); await new Promise((done) => server.listen(0, "127.0.0.1", done)); const reply = await fetch("http://127.0.0.1:" + server.address().port); assert.equal(await reply.text(), "hi"); server.close(); server.closeAllConnections(); });',
        'import { createServer } from "node:http";',
      ),
    }),
  },
  {
    name: "tests that start programs, which fail as they should",
    work: files({
      "src/main.js": 'import { add } from "./add.js";\nif (add(1, 1) === 2) process.exit(3);\n',
      "test/main.test.js": nodeTest(
        'test("exits", () => { const run = spawnSync(process.execPath, ["src/main.js"]); assert.equal(run.status, 3); });',
        'import { spawnSync } from "node:child_process";',
      ),
    }),
  },
  {
    name: "tests that ask git",
    work: files({
      "test/git.test.js": nodeTest(
        'test("lists", () => { assert.match(execFileSync("git", ["ls-files"], { encoding: "utf8" }), /src\\/add\\.js/); assert.equal(execFileSync("git", ["status", "--porcelain", "src"], { encoding: "utf8" }), ""); });',
        'import { execFileSync } from "node:child_process";',
      ),
    }),
  },
  {
    name: "tests that write new files",
    work: files({
      "test/writes.test.js": nodeTest(
        'test("writes", () => { mkdirSync("coverage", { recursive: true }); writeFileSync("coverage/out.json", "{}"); writeFileSync("debug.log", "x"); });',
        'import { mkdirSync, writeFileSync } from "node:fs";',
      ),
    }),
  },
  {
    name: "tests that print a lot",
    work: files({
      "test/loud.test.js": nodeTest('test("loud", () => console.log("x".repeat(300_000)));'),
    }),
  },
  {
    name: "tests with a helper and a fixture",
    work: files({
      "test/helper.js": "export const three = 3;\n",
      "test/fixtures/sample.test.js": "export const sample = 1;\n",
      "test/helped.test.js": nodeTest(
        'test("helped", () => assert.equal(three, 3));',
        'import { three } from "./helper.js";',
      ),
    }),
  },
  {
    name: "tests of CommonJS",
    work: files({
      "test/old.test.cjs":
        'const assert = require("node:assert");\nconst { test } = require("node:test");\ntest("old", () => assert.ok(true));\n',
    }),
  },
  {
    name: "tests in suites, some to do and some skipped",
    work: files({
      "test/suite.test.mjs":
        'import assert from "node:assert";\nimport { describe, it } from "node:test";\ndescribe("a suite", () => { it("holds", () => assert.equal(1, 1)); it.todo("later"); it.skip("not here", () => {}); });\n',
    }),
  },
  {
    name: "tests that mock",
    work: files({
      "test/mock.test.js":
        'import assert from "node:assert/strict";\nimport { mock, test } from "node:test";\ntest("mocks", () => { const log = mock.method(console, "log", () => {}); console.log("x"); assert.equal(log.mock.callCount(), 1); mock.restoreAll(); });\n',
    }),
  },
  {
    name: "tests without a line break at their end, ending in a comment",
    work: files({
      "test/bare.test.js": 'import { test } from "node:test";\ntest("bare", () => {}) // the end',
    }),
  },
];
