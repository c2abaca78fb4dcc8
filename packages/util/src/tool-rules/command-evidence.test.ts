import type { EvidenceRequirement } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { effectOnShell, leadingDirectory } from "./command-evidence.ts";
import { missingEvidence, type SeenCall } from "./missing-evidence.ts";

const BY_PATTERN: EvidenceRequirement = { name: "tests", kind: "execute", input: "^npm test$" };
const BY_WORDS: EvidenceRequirement = { name: "tests", kind: "execute", command: ["npm", "test"] };

function shell(subject: string, about: Partial<SeenCall> = {}): SeenCall {
  return { kind: "execute", subject, ok: true, exitCode: 0, ...about };
}

function seen(requirement: EvidenceRequirement, ...calls: SeenCall[]): string {
  return missingEvidence([requirement], calls)[0]?.seen ?? "met";
}

describe.each([
  ["a pattern", BY_PATTERN],
  ["words", BY_WORDS],
])("a command required by %s", (_name, requirement) => {
  it.each([
    "npm test",
    " npm  test \n",
    "npm t",
    "npm run test",
    "npm run-script test",
    "CI=1 npm test",
    "CI=true FORCE_COLOR=0 npm test",
    "env CI=1 npm test",
    "npm test 2>&1",
    "npm test >/dev/null 2>&1",
    "timeout 100 npm test",
    "timeout -k 5s 2m npm test",
    "time npm test",
    "command npm test",
    'bash -c "npm test"',
    "sh -c 'CI=1 npm run test 2>&1'",
    "npm test && echo ok",
    "npm test && git status && git diff",
    "npm run build && npm test",
    "cd /somewhere && npm test",
    "npm test # the whole suite",
  ])("is seen in %j", (line) => {
    expect(seen(requirement, shell(line))).toBe("met");
  });

  it.each([
    ["npm test | tail", "pipe"],
    ["npm run test 2>&1 | tail -20", "pipe"],
    ["npm test || true", "`||` hides it"],
    ["npm test; echo done", "that of a list is its last command's"],
    ["npm test\ntrue", "that of a list is its last command's"],
    ["npm test &", "in the background"],
    ["! npm test", "inside of another command"],
    ["(npm test)", "inside of another command"],
    ["if npm test; then :; fi", "inside of another command"],
    ["echo $(npm test)", "inside of another command"],
    ["npm test > out.txt", "went into a file"],
    ["PATH=.:$PATH npm test", "the variable PATH"],
    ["npm test && sed -i s/a/b/ x", "commands after it"],
    ["cd a && cd b && npm test", "commands before it"],
    ["npm() { :; } && npm test", "more than one plain command"],
    ["export PATH=. && npm test", "commands before it"],
  ])("is not proved by %j, and the reason is given", (line, why) => {
    expect(seen(requirement, shell(line))).toContain(why);
  });

  it.each([
    "true",
    "npm test --help",
    "echo npm test",
    "'npm test'",
    "npm 'test '",
    "./npm test",
    "pnpm test",
    "npm run test:unit",
    "npm --prefix . run build",
    "timeout 5",
  ])("is not %j", (line) => {
    expect(seen(requirement, shell(line))).not.toBe("met");
  });

  it.each([
    [{ exitCode: null }, "its exit code was not reported"],
    [{ exitCode: 1 }, "it exited 1"],
    [{ place: "elsewhere" }, "it ran in another directory than the step's"],
    [{ place: "unknown" }, "it is not certain where it ran"],
  ] satisfies [Partial<SeenCall>, string][])("does not count with %j", (about, why) => {
    expect(seen(requirement, shell("npm test", about))).toContain(why);
  });
});

describe("evidence after the last edit", () => {
  const requirement: EvidenceRequirement = { ...BY_WORDS, after: "last_edit" };
  const met = shell("npm test");

  it.each([
    "ls -la",
    "cat src/a.ts | head -5",
    "git status",
    "git diff --stat",
    "git --no-pager log -3",
    "git add -A && git commit -m 'it works'",
    'git commit -m "$(date)"',
    "grep -rn x src | wc -l",
    "find . -name '*.ts'",
    "sort -u names.txt",
    "echo done; pwd",
    "node --version",
    "uncaged-workflow thread context 01ABC",
    "if [ -f a ]; then cat a; fi",
  ])("still counts after %j, which changes no file", (line) => {
    expect(seen(requirement, met, shell(line))).toBe("met");
    expect(seen(requirement, met, shell(line, { ok: false, exitCode: 1 }))).toBe("met");
  });

  it.each([
    "sed -i s/a/b/ src/a.ts",
    "git checkout .",
    "git checkout -- src/a.ts",
    "git apply -R x.patch",
    "git stash",
    "git stash pop",
    "git reset --hard",
    "git -c core.fsmonitor=./evil status",
    "git diff --output=src/a.ts",
    "python3 fix.py",
    "echo x > src/a.ts",
    "cat a | tee src/a.ts",
    "find . -delete",
    "sort -o src/a.ts src/a.ts",
    "$EVIL",
    "ls $(./evil)",
    "cat <<E > src/a.ts\nx\nE",
    "nohup ./later.sh &",
    "./cat src/a.ts",
  ])("is void after %j", (line) => {
    expect(seen(requirement, met, shell(line))).toContain("may have changed files");
    expect(seen(requirement, met, shell(line, { ok: false, exitCode: 1 }))).toContain("may have");
    expect(seen(requirement, shell(line), met)).toBe("met");
    expect(seen(BY_WORDS, met, shell(line)), "asked for without `after`").toBe("met");
  });

  it("is void after an unknown tool, but not after one that failed or was refused", () => {
    const other: SeenCall = { kind: "other", subject: "{}", ok: true, exitCode: null };
    expect(seen(requirement, met, other)).toContain("a tool was used that may have changed files");
    expect(seen(requirement, met, { ...other, ok: false })).toBe("met");
    expect(seen(requirement, met, shell("git push -f", { refused: true, ok: false }))).toBe("met");
  });

  it("still counts after an edit outside the step's repository", () => {
    const edit: SeenCall = {
      kind: "edit",
      subject: "/elsewhere/notes.md",
      ok: true,
      exitCode: null,
    };
    expect(seen(requirement, met, { ...edit, place: "elsewhere" })).toBe("met");
    expect(seen(requirement, met, edit)).toBe("it was seen before the last edit, not after it");
  });

  it("is void when an edit overlapped it, whichever ended first", () => {
    const edit: SeenCall = { kind: "edit", subject: "a", ok: true, exitCode: null, timestamp: 500 };
    const run = (from: number, to: number): SeenCall => ({
      ...met,
      timestamp: to,
      durationMs: to - from,
    });
    expect(seen(requirement, edit, run(400, 900))).toContain("while it ran");
    expect(seen(requirement, edit, run(500, 900))).toBe("met");
    expect(seen(requirement, run(100, 450), edit)).toContain("before the last edit");
  });

  it("counts next to other required evidence", () => {
    const lint: EvidenceRequirement = {
      name: "lint",
      kind: "execute",
      command: ["npm", "run", "lint"],
      after: "last_edit",
    };
    expect(missingEvidence([requirement, lint], [met, shell("npm run lint")])).toEqual([]);
    const log: EvidenceRequirement = { name: "log", kind: "edit", input: "CHANGELOG" };
    const edit: SeenCall = { kind: "edit", subject: "CHANGELOG.md", ok: true, exitCode: null };
    expect(missingEvidence([requirement, log], [met, edit])).toHaveLength(1);
  });
});

describe("a persistent shell", () => {
  it("is known to be in the directory that a line starts with", () => {
    expect(leadingDirectory("cd /a && npm test")).toBe("/a");
    expect(leadingDirectory("cd '/a b' && npm test")).toBe("/a b");
    for (const line of [
      "cd /a; npm test",
      "cd $X && a",
      "cd - && a",
      "cd && a",
      "cd a b && c",
      "a",
    ])
      expect(leadingDirectory(line), line).toBeNull();
  });

  it.each([
    ["npm test", "none"],
    ["ls; git status | head", "none"],
    ["cd /a", { directory: "/a" }],
    ["cd /a && npm test", { directory: "/a" }],
    ["cd /a; ls", "any"],
    ["ls && cd /a", "any"],
    ["cd $X", "any"],
    ["npm() { :; }", "any"],
    ["alias npm=true", "any"],
    ["export PATH=.", "any"],
    ["PATH=.", "any"],
    [". ./env", "any"],
    ["'", "any"],
  ] as const)("after %j", (line, effect) => {
    expect(effectOnShell(line)).toEqual(effect);
  });
});
