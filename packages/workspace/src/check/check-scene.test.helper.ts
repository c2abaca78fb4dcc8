import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type CheckEvidence, type CheckRule, unwrap } from "@uncaged/workflow-protocol";
import { findRepository } from "../repository/find-repository.ts";
import { type CheckOptions, runCheck } from "./run-check.ts";

export type Files = Readonly<Record<string, string | null>>;

/** A repository with a small project whose tests, by `node --test`, are right. */
export type CheckScene = {
  folder: string;
  /** Tree of the project before the agent. */
  base: string;
  git(...args: string[]): string;
  /** Writes files, null removes one; names that end in `!` are executable. */
  write(files: Files): void;
  /** Back to the base. */
  reset(): void;
  /** Tree of the files as they are now. */
  tree(): string;
  check(rule?: Partial<CheckRule>, more?: Partial<CheckOptions>): Promise<CheckEvidence>;
  remove(): void;
};

export const PROJECT: Files = {
  "package.json": JSON.stringify({
    name: "shop",
    version: "1.0.0",
    type: "module",
    scripts: { test: "node --test", start: "node src/main.js" },
  }),
  ".gitignore": "node_modules/\n*.log\n",
  "src/add.js": "export function add(a, b) {\n  return a + b;\n}\n",
  "src/price.js":
    'import { add } from "./add.js";\n\nexport const total = (prices) => prices.reduce(add, 0);\n',
  "test/add.test.js":
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { add } from "../src/add.js";\n\ntest("adds", () => {\n  assert.equal(add(1, 2), 3);\n  assert.equal(add(-1, 1), 0);\n});\n',
  "test/price.test.js":
    'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { total } from "../src/price.js";\n\ntest("sums", () => assert.equal(total([1, 2, 3]), 6));\ntest("is 0 for nothing", () => assert.equal(total([]), 0));\n',
  "README.md": "# Shop\n",
};

export const WRONG_ADD = "export function add(a, b) {\n  return a - b;\n}\n";

let made: { folder: string; base: string } | null = null;

export function checkScene(project: Files = PROJECT): CheckScene {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "uwf-scene-")));
  const folder = join(root, "shop");
  mkdirSync(folder);
  const git = (...args: string[]): string =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.org", ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" },
    }).trim();
  const write = (files: Files): void => {
    for (const [name, text] of Object.entries(files)) {
      const file = join(folder, name.replace(/!$/, ""));
      rmSync(file, { recursive: true, force: true });
      if (text === null) continue;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      if (name.endsWith("!")) chmodSync(file, 0o755);
    }
  };
  const tree = (): string => {
    git("add", "-A");
    return git("write-tree");
  };
  const begin = (): string => {
    git("init", "-q", "-b", "main");
    write(project);
    const made = tree();
    git("commit", "-q", "-m", "base");
    return made;
  };
  // The usual project is made once, because git starts four times for it.
  const isUsual = project === PROJECT;
  if (isUsual && made !== null) cpSync(made.folder, folder, { recursive: true });
  const base = (isUsual ? made?.base : undefined) ?? begin();
  if (isUsual && made === null) {
    const kept = mkdtempSync(join(tmpdir(), "uwf-scene-base-"));
    cpSync(folder, kept, { recursive: true });
    process.once("exit", () => rmSync(kept, { recursive: true, force: true }));
    made = { folder: kept, base };
  }
  return {
    folder,
    base,
    git,
    write,
    reset: () => {
      git("reset", "-q", "--hard");
      git("clean", "-qdfx");
    },
    tree,
    async check(rule = {}, more = {}) {
      const repository = unwrap(await findRepository(folder));
      if (repository === null) throw new Error("no repository");
      const check = { command: ["npm", "test"], timeoutMs: 60_000, ...rule };
      const cache = join(root, "cache");
      return unwrap(await runCheck({ repository, tree: tree(), base, check, cache, ...more }));
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
