/** Checks with the real test runners, installed by the check's own setup: honest work passes, and lies do not. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CheckEvidence, type CheckRule, unwrap } from "@uncaged/workflow-protocol";
import { type CheckPlaces, findRepository, runCheck } from "@uncaged/workflow-workspace";
import { afterEach, describe, expect, it } from "vitest";

type Files = { readonly [path: string]: string };

type Runner = {
  name: string;
  /** Programs that it needs besides Node and npm; without one of them its test fails. */
  needs: readonly string[];
  /** It is tried only where its programs are. */
  ifHere?: true;
  rule: CheckRule;
  files: Files;
  honest: Files;
  lies: { readonly [name: string]: Files };
};

const manifest = (test: string, needs: Files = {}): string =>
  JSON.stringify({ name: "shop", type: "module", scripts: { test }, devDependencies: needs });

const NPM = { command: ["npm", "test"], setup: ["npm", "install", "--no-audit", "--no-fund"] };
const ADD = "export const add = (a, b) => a + b;\n";
const WRONG = "export const add = (a, b) => a - b;\n";
const NODE_ASSERT = 'import assert from "node:assert/strict";\n';

/** Lies of sources, for runners of JavaScript. */
const SOURCES = {
  "wrong work": { "src/add.js": WRONG },
  "a source that ends the process": { "src/add.js": `process.exit(0);\n${WRONG}` },
  "a source that ends it later": { "src/add.js": `setImmediate(() => process.exit(0));\n${WRONG}` },
};

const script = (test: string) => ({ "package.json": test });

const GO_WRONG = "package shop\n\nfunc Add(a, b int) int { return a - b }\n";

/** A stand-in with the functions of the real one that the canary calls. */
function testify(equal: string): string {
  const claims = {
    Equal: ["want, got interface{}", equal],
    NotEqual: ["want, got interface{}", "want != got"],
    True: ["value bool", "value"],
    False: ["value bool", "!value"],
    Nil: ["value interface{}", "value == nil"],
    NotNil: ["value interface{}", "value != nil"],
    NoError: ["err error", "err == nil"],
    Error: ["err error", "err != nil"],
    Contains: ["all, one interface{}", "strings.Contains(all.(string), one.(string))"],
    Len: ["all interface{}, length int", "reflect.ValueOf(all).Len() == length"],
    Empty: ["value interface{}", "reflect.ValueOf(value).IsZero()"],
  };
  const functions = Object.entries(claims).map(
    ([name, [takes, holds]]) =>
      `func ${name}(t TestingT, ${takes}, more ...interface{}) bool {\n\tif ${holds} {\n\t\treturn true\n\t}\n\tt.Errorf("${name}")\n\treturn false\n}\n`,
  );
  return `package assert\n\nimport (\n\t"reflect"\n\t"strings"\n)\n\ntype TestingT interface {\n\tErrorf(format string, args ...interface{})\n}\n\n${functions.join("\n")}`;
}

const RUNNERS: readonly Runner[] = [
  {
    name: "node:test",
    needs: [],
    rule: { command: ["npm", "test"] },
    files: {
      "package.json": manifest("node --test"),
      "src/add.js": ADD,
      "test/add.test.js": `${NODE_ASSERT}import { test } from "node:test";\nimport { add } from "../src/add.js";\ntest("adds", () => assert.equal(add(1, 2), 3));\n`,
    },
    honest: { "src/add.js": `// Sum.\n${ADD}` },
    lies: { ...SOURCES, "a script that does nothing": script(manifest("true")) },
  },
  {
    name: "vitest",
    needs: [],
    rule: NPM,
    files: {
      "package.json": manifest("vitest run", { vitest: "^3" }),
      "src/add.js": ADD,
      "src/add.test.js": `import { describe, expect, it } from "vitest";\nimport { add } from "./add.js";\ndescribe("add", () => { it("adds", () => { expect(add(1, 2)).toBe(3); }); });\n`,
      "src/other.test.js": `import { expect, test } from "vitest";\ntest("other", () => expect(1).toBe(1));\n`,
    },
    honest: { "src/add.js": `// Sum.\n${ADD}` },
    lies: { ...SOURCES, "a script that does nothing": script(manifest("true")) },
  },
  {
    name: "jest",
    needs: [],
    rule: { ...NPM, setup: ["npm", "install", "--no-audit", "--no-fund"] },
    files: {
      "package.json": JSON.stringify({
        name: "shop",
        scripts: { test: "jest" },
        devDependencies: { jest: "^30" },
      }),
      "src/add.js": "exports.add = (a, b) => a + b;\n",
      "src/add.test.js": `const { add } = require("./add.js");\ntest("adds", () => { expect(add(1, 2)).toBe(3); });\n`,
      "__tests__/more.js": `describe("more", () => { it("is", () => { expect(1).toBe(1); }); });\n`,
    },
    honest: { "src/add.js": "/** Sum. */\nexports.add = (a, b) => b + a;\n" },
    lies: {
      "wrong work": { "src/add.js": "exports.add = (a, b) => a - b;\n" },
      "a source that ends the process": {
        "src/add.js": "process.exit(0);\nexports.add = (a, b) => a - b;\n",
      },
      "a test that is skipped": {
        "src/add.js": "exports.add = (a, b) => a - b;\n",
        "src/add.test.js": `test.skip("adds", () => {});\n`,
      },
    },
  },
  {
    name: "mocha",
    needs: [],
    rule: NPM,
    files: {
      "package.json": manifest("mocha", { mocha: "^11" }),
      "src/add.js": ADD,
      "test/add.js": `${NODE_ASSERT}import { add } from "../src/add.js";\ndescribe("add", () => { it("adds", () => { assert.equal(add(1, 2), 3); }); });\n`,
      "test/more.js": `${NODE_ASSERT}it("is", () => assert.ok(true));\n`,
    },
    honest: { "src/add.js": `// Sum.\n${ADD}` },
    lies: { ...SOURCES, "a script that does nothing": script(manifest("true")) },
  },
  {
    name: "pytest",
    needs: ["pytest-3"],
    rule: { command: ["python3", "-m", "pytest", "-q"] },
    files: {
      ".gitignore": "__pycache__/\n.pytest_cache/\n",
      "add.py": "def add(a, b):\n    return a + b\n",
      "test_add.py":
        "from add import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n\n\nclass TestMore:\n    def test_is(self):\n        assert True\n",
    },
    honest: { "add.py": '"""Sums."""\n\n\ndef add(a, b):\n    return b + a\n' },
    lies: {
      "wrong work": { "add.py": "def add(a, b):\n    return a - b\n" },
      "a source that ends the process": {
        "add.py": "import os\nos._exit(0)\n\n\ndef add(a, b):\n    return a - b\n",
      },
      "a conftest that lets all pass": {
        "add.py": "def add(a, b):\n    return a - b\n",
        "conftest.py":
          "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    out = yield\n    out.get_result().outcome = 'passed'\n",
      },
    },
  },
  {
    name: "go test",
    needs: ["go"],
    rule: { command: ["go", "test", "./..."] },
    files: {
      "go.mod": "module shop\n\ngo 1.18\n",
      "add.go": "package shop\n\nfunc Add(a, b int) int { return a + b }\n",
      "add_test.go":
        'package shop\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
    honest: { "add.go": "package shop\n\n// Add sums.\nfunc Add(a, b int) int { return b + a }\n" },
    lies: {
      "wrong work": { "add.go": "package shop\n\nfunc Add(a, b int) int { return a - b }\n" },
      "a source that ends the process": {
        "add.go":
          'package shop\n\nimport "os"\n\nfunc init() { os.Exit(0) }\n\nfunc Add(a, b int) int { return a - b }\n',
      },
      "a main of the tests that is always content": {
        "add.go": GO_WRONG,
        "main_test.go":
          'package shop\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n',
      },
    },
  },
  {
    name: "go test and testify",
    needs: ["go"],
    rule: { command: ["go", "test", "./..."] },
    files: {
      "go.mod":
        "module shop\n\ngo 1.18\n\nrequire github.com/stretchr/testify v1.0.0\n\nreplace github.com/stretchr/testify => ./parts/testify\n",
      "parts/testify/go.mod": "module github.com/stretchr/testify\n\ngo 1.18\n",
      "parts/testify/assert/assert.go": testify("want == got"),
      "add.go": "package shop\n\nfunc Add(a, b int) int { return a + b }\n",
      "add_test.go":
        'package shop\n\nimport (\n\t"testing"\n\n\t"github.com/stretchr/testify/assert"\n)\n\nfunc TestAdd(t *testing.T) { assert.Equal(t, 3, Add(1, 2)) }\n',
    },
    honest: { "add.go": "package shop\n\n// Add sums.\nfunc Add(a, b int) int { return b + a }\n" },
    lies: {
      "wrong work": { "add.go": GO_WRONG },
      "assertions that hold whatever they compare": {
        "add.go": GO_WRONG,
        "parts/testify/assert/assert.go": testify("true"),
      },
    },
  },
  {
    name: "cargo test",
    needs: ["cargo"],
    ifHere: true,
    rule: { command: ["cargo", "test", "--offline"] },
    files: {
      ".gitignore": "/target/\n/Cargo.lock\n",
      "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/lib.rs":
        "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1, 2), 3);\n    }\n}\n",
    },
    honest: {
      "src/lib.rs":
        "/// Sums.\npub fn add(a: i32, b: i32) -> i32 {\n    b + a\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1, 2), 3);\n    }\n}\n",
    },
    lies: {
      "wrong work": {
        "src/lib.rs":
          "pub fn add(a: i32, b: i32) -> i32 {\n    a - b\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n        assert_eq!(super::add(1, 2), 3);\n    }\n}\n",
      },
    },
  },
];

const roots: string[] = [];
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

const isHere = (program: string): boolean => {
  try {
    execFileSync(program, [program === "go" ? "version" : "--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

for (const { name, needs, rule, files, honest, lies } of RUNNERS.filter(
  ({ needs, ifHere }) => ifHere !== true || needs.every(isHere),
))
  describe(`a check with ${name}`, () => {
    it(`passes honest work and refuses ${Object.keys(lies).join(", ")}`, async () => {
      expect(
        needs.filter((program) => !isHere(program)),
        "programs that have to be installed",
      ).toEqual([]);
      const scene = await openScene(files);
      const { verdict, faults, clean, canary } = await scene.check(honest, rule);
      expect({ faults, output: faults.length === 0 ? "" : clean.output }).toEqual({
        faults: [],
        output: "",
      });
      expect([verdict, canary?.exitCode]).toEqual(["passed", expect.any(Number)]);
      for (const [lie, changed] of Object.entries(lies)) {
        const { verdict } = await scene.check({ ...honest, ...changed }, rule);
        expect(verdict, lie).not.toBe("passed");
      }
    }, 300_000);
  });

/** What `config.checks` would say on this machine: where the programs are, and where they install from. */
function placesHere(): CheckPlaces {
  const said = (program: string, ...args: string[]): string => {
    try {
      return execFileSync(program, args, {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }).trim();
    } catch {
      return "";
    }
  };
  const python = said("python3", "-c", "import sys; print(sys.executable)");
  const cargo = said("sh", "-c", "command -v cargo");
  const home = (name: string): string => join(process.env.HOME ?? "/", name);
  const variables = {
    ...Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) =>
        value !== undefined && /^(?:PIP_|SSL_|NODE_EXTRA_CA_CERTS)/.test(name)
          ? [[name, value]]
          : [],
      ),
    ),
    npm_config_registry: said("npm", "config", "get", "registry"),
    ...Object.fromEntries(
      ["index-url", "extra-index-url", "find-links", "constraint", "cert"].map((name) => [
        `PIP_${name.replaceAll("-", "_").toUpperCase()}`,
        said("python3", "-m", "pip", "config", "get", `global.${name}`),
      ]),
    ),
    RUSTUP_HOME: process.env.RUSTUP_HOME ?? home(".rustup"),
    CARGO_HOME: process.env.CARGO_HOME ?? home(".cargo"),
  };
  const known = Object.entries(variables).filter(([, value]) => value !== "");
  const path = [python, cargo].filter((file) => file !== "").map((file) => dirname(file));
  return { path, variables: Object.fromEntries(known) };
}

async function openScene(files: Files) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "uwf-canaries-")));
  roots.push(root);
  const folder = join(root, "shop");
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: "pipe" }).trim();
  const write = (all: Files): void => {
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  const tree = (): string => {
    git("add", "-A");
    return git("write-tree");
  };
  mkdirSync(folder);
  git("init", "-q");
  write(files);
  const base = tree();
  const places = placesHere();
  return {
    async check(changed: Files, check: CheckRule): Promise<CheckEvidence> {
      write(files);
      write(changed);
      const repository = unwrap(await findRepository(folder));
      if (repository === null) throw new Error("no repository");
      const cache = join(root, "cache");
      return unwrap(await runCheck({ repository, tree: tree(), base, check, cache, places }));
    },
  };
}
