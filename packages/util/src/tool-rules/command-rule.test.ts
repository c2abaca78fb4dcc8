import type { ToolPolicy } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { policyVerdict } from "./policy-verdict.ts";

function allowed(policy: ToolPolicy, subject: string): boolean {
  return policyVerdict(policy, { name: "Bash", kind: "execute", subject }).allowed;
}

describe.each([
  ["a pattern", { deny: [{ kind: "execute", input: "git push" }] }],
  ["an anchored pattern", { deny: [{ kind: "execute", input: "^git push" }] }],
  ["words", { deny: [{ kind: "execute", command: ["git", "push"] }] }],
] satisfies [string, ToolPolicy][])("a command denied by %s", (_name, policy) => {
  it.each([
    "git push",
    "git  push",
    "git\tpush --force",
    "git -C . push",
    "git -c a=b --no-pager push",
    "git --git-dir .git push",
    "git 'push'",
    '"git" push',
    'g""it p\\ush',
    "git \\\n push",
    "/usr/bin/git push",
    "command git push",
    "env X=1 git push",
    "X=1 git push",
    "sudo -u root git push",
    "timeout 5 git push",
    "nohup git push &",
    "sh -c 'git push'",
    'bash -lc "cd x && git push"',
    "sh -c 'sh -c \"git push\"'",
    "env -S 'git push'",
    "eval git push",
    "eval 'git push'",
    "echo a; git push",
    "true && git push",
    "false || git push",
    "ls | xargs git push",
    "find . -exec git push \\;",
    "(git push)",
    "{ git push; }",
    "! git push",
    "if true; then git push; fi",
    "for a in b; do git push; done",
    "while :; do git push; done",
    "echo $(git push)",
    'echo "$(git push)"',
    "echo `git push`",
    "X=$(git push)",
    "cat <<'E'\nx\nE\ngit push",
    "git push # for good",
  ])("is refused as %j", (line) => {
    expect(allowed(policy, line)).toBe(false);
  });

  it.each([
    "$GIT push",
    "$(which git) push",
    "g?t push",
    "git $VERB",
    "git {push,x}",
    "echo push | xargs git",
    "echo git push | sh",
    "sh <<< 'git push'",
    "sh <<E\ngit push\nE",
    'sh -c "$SCRIPT"',
    "eval $X",
    "$'git' push",
    "case x in x) git push;; esac",
    "f() { git push; }; f",
    "git 'push",
  ])("is refused as %j, which only a shell can expand", (line) => {
    expect(allowed(policy, line)).toBe(false);
  });

  it.each([
    "git status",
    "git -C push status",
    "git log --oneline | head -5",
    "npm test 2>&1 | tail -20",
    "ls *.ts",
    'echo "$HOME"',
    "cat src/*.ts | wc -l",
    "ls | xargs wc -l",
    "cd x && npm run build",
    "X=1 npm test > out.txt",
    "for a in b c; do echo $a; done",
    "node -e 'a(b)'",
  ])("does not refuse %j", (line) => {
    expect(allowed(policy, line)).toBe(true);
  });
});

describe.each([
  ["a pattern", { allow: [{ kind: "execute", input: "^git (log|status)" }] }],
  [
    "words",
    {
      allow: [
        { kind: "execute", command: ["git", "status", "*"] },
        { kind: "execute", command: ["git", "log"] },
      ],
    },
  ],
] satisfies [string, ToolPolicy][])("a command allowed by %s", (_name, policy) => {
  it.each(["git status", " git  status \n", "git 'status'", "git status 2>&1", "git log"])(
    "is allowed as %j",
    (line) => {
      expect(allowed(policy, line)).toBe(true);
    },
  );

  it.each([
    "git status; rm -r .",
    "git status && rm -r .",
    "git status | sh",
    "git status & rm -r .",
    "git status\nrm -r .",
    "git status $(rm -r .)",
    "git status `rm -r .`",
    "git status > file",
    "git status >> file",
    "git status < <(rm -r .)",
    "GIT_EXTERNAL_DIFF=evil git log",
    "PATH=. git status",
    "git log --output=file",
    "git log --outpu=file",
    "git log --ext-diff",
    "git $X",
    "(git status)",
    "! git status",
    "git",
    "",
  ])("is refused as %j", (line) => {
    expect(allowed(policy, line)).toBe(false);
  });
});

describe("the words of an allowed command", () => {
  const policy: ToolPolicy = {
    allow: [{ kind: "execute", command: ["git", "log", "--output=a b"] }],
  };

  it("must match completely, and may include an option that makes a reading program write", () => {
    expect(allowed(policy, "git log '--output=a b'")).toBe(true);
    expect(allowed(policy, "git log --output=a b")).toBe(false);
    expect(allowed(policy, "git log '--output=a b' c")).toBe(false);
  });
});

describe("an unknown tool", () => {
  const mcp = { name: "mcp__files__write", kind: "other", subject: "{}" } as const;

  it.each([
    ["a denial of edits", { deny: [{ kind: "edit" }] }, false],
    ["a denial of deletes", { deny: [{ kind: "delete" }] }, false],
    ["a partial denial of edits", { deny: [{ kind: "edit", input: "^src/" }] }, false],
    ["a denial of commands", { deny: [{ kind: "execute" }] }, true],
    [
      "a denial of edits and its name",
      { deny: [{ kind: "edit" }], allow: [{ name: "mcp__files__*" }] },
      true,
    ],
    [
      "a denial of edits and its kind",
      { deny: [{ kind: "edit" }], allow: [{ kind: "other" }] },
      true,
    ],
    ["a denial of edits and any name", { deny: [{ kind: "edit" }], allow: [{ name: "*" }] }, false],
  ] satisfies [string, ToolPolicy, boolean][])("under %s", (_name, policy, expected) => {
    expect(policyVerdict(policy, mcp).allowed).toBe(expected);
  });
});

describe("reading a command", () => {
  it("takes time in proportion to its length", () => {
    const policy: ToolPolicy = { deny: [{ kind: "execute", command: ["git", "push"] }] };
    for (const piece of ["a ", "a;", "$(", "(", "'", '"a" ', "a|", "`a` ", "{ a; }; ", "sh -c '"]) {
      expect(allowed(policy, piece.repeat(20_000)), piece).toBeTypeOf("boolean");
    }
  });
});
