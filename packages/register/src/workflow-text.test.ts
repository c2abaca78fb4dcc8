import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bundleFiles } from "./bundle/bundle-files.ts";
import { UNCHECKED } from "./scratch.test.helper.ts";
import { workflowText } from "./workflow-text.ts";
import { compileYaml } from "./yaml/compile-yaml.ts";

const HASH = "0000000000000";
const read = (url: string): string => readFileSync(new URL(url, import.meta.url), "utf8");
const GREETING = read("./yaml/golden/greeting.yaml");
const TEXTS: [string, string][] = [
  ["the golden", GREETING],
  ["the scaffold's", read("../../cli/scaffold/yaml/flow.yaml")],
  ["one by hand", read("../../editor/src/golden/by-hand.yaml")],
  [
    "one with a group and all that a rule can say",
    `description: "odd: #1"
roles:
  planner: { goal: Plan, output: { type: object, properties: { files: { type: array, items: { type: string } } }, required: [files] } }
  reviewer:
    goal: |
      Look at one file

      # Procedure of nobody
    output: { type: object, properties: { status: { enum: [clean, 'not: clean'] } }, required: [status] }
  boss: { by: person, assignees: [me], timeoutMs: 5, output: { type: object, properties: { status: { enum: [yes-it-is, "no"] } }, required: [status] } }
graph:
  $START: { new: planner, resume: { role: boss, prompt: "Go on?" } }
  planner: { group: reviews, each: last.meta.files, as: file, role: reviewer, prompt: "Review {{ file }}", atOnce: 4, join: { atLeast: 2 } }
  reviews: { clean: $END, otherwise: boss }
  boss:
    - { status: [yes-it-is, "no"], when: byRole.boss.count < 3, location: sub, role: planner }
    - { outcomes: [timeout], role: $END }
    - { role: $SUSPEND, prompt: "What: now?" }
limits: { steps: 9 }
result: last.meta
workspace: worktree
`,
  ],
];

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "text-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

function codeOf(text: string): string {
  const compiled = compileYaml(text, { place: "f", checks: UNCHECKED });
  if (!compiled.ok) throw new Error(compiled.error.message);
  return compiled.value.code;
}

function textOf(code: string): Promise<string | null> {
  return workflowText(root, { hash: HASH, bytes: Buffer.from(code) }, UNCHECKED);
}

function keep(text: string): void {
  const files = bundleFiles(root, HASH);
  mkdirSync(files.folder, { recursive: true });
  writeFileSync(files.yaml, text);
}

describe("the text of a registered workflow", () => {
  it.each(TEXTS)(
    "%s is written anew where it is not kept, as one that compiles to the same bundle",
    async (_name, text) => {
      const code = codeOf(text);
      const written = await textOf(code);
      expect(written).not.toBeNull();
      expect(codeOf(written ?? "")).toBe(code);
    },
  );

  it("is its author's where it is kept, with comments", async () => {
    const mine = `# mine\n${GREETING}`;
    keep(mine);
    expect(await textOf(codeOf(GREETING))).toBe(mine);
  });

  it("is never that of another workflow, whatever the file says", async () => {
    keep(GREETING.replace("friendly", "rude"));
    const code = codeOf(GREETING);
    expect(codeOf((await textOf(code)) ?? "")).toBe(code);
  });

  it("is not there for code, nor for data that YAML does not compile to", async () => {
    expect(await textOf("export const run = null;")).toBeNull();
    const odd = codeOf(GREETING).replace("You are the writer.", "You are a writer.");
    expect(await textOf(odd)).toBeNull();
  });
});
