import type { RoleDefinition } from "@uncaged/workflow-runtime";
import { describe, expect, it } from "vitest";
import { type DeveloperMeta, developer } from "./developer.ts";
import { type PreparerMeta, preparer } from "./preparer.ts";
import { type SubmitterMeta, submitter } from "./submitter.ts";

/** What is wrong with a meta; empty when it fits. */
function faults<Meta extends Record<string, unknown>>(
  role: RoleDefinition<Meta>,
  meta: unknown,
): string[] {
  return role.schema.safeParse(meta).error?.issues.map(({ message }) => message) ?? [];
}

describe("the preparer's result", () => {
  const ready: PreparerMeta = {
    status: "ready",
    issue: "https://example.org/shop/issues/7",
    directory: ".",
    branch: "fix/empty-cart",
    base: "main",
    task: "mend the cart",
    acceptanceCriteria: ["an empty cart shows a sentence"],
    reason: null,
  };

  it("is ready with directory, branch, base, task and criteria", () => {
    expect(faults(preparer, ready)).toEqual([]);
    for (const field of ["directory", "branch", "base", "task"]) {
      expect(faults(preparer, { ...ready, [field]: null }), field).toEqual([
        "ready needs directory, branch, base and task",
      ]);
    }
    expect(faults(preparer, { ...ready, acceptanceCriteria: [] })).toEqual([
      "ready needs at least one acceptance criterion",
    ]);
  });

  it("does not make the change on the base branch", () => {
    expect(faults(preparer, { ...ready, branch: "main" })).toEqual([
      "the change is made on a branch of its own, not on the base",
    ]);
  });

  it.each([".", "shop", "shop/web", "a..b"])("may name the directory %j", (directory) => {
    expect(faults(preparer, { ...ready, directory })).toEqual([]);
  });

  it.each([
    "/etc",
    "..",
    "../other",
    "shop/../../other",
    "C:\\shop",
    "a\\..\\..",
    "\\\\host\\share",
  ])("may not leave the working directory by %j", (directory) => {
    expect(faults(preparer, { ...ready, directory })).toEqual([
      "must be a path below the working directory; '.' is that directory itself",
    ]);
  });

  it.each(["--force", "-f", "a b", "a;b", "", "$(x)", "ä"])(
    "may not call a branch %j",
    (branch) => {
      expect(faults(preparer, { ...ready, branch })).toEqual(["must be a plain branch name"]);
    },
  );

  it("says what stands in the way when it is blocked", () => {
    const blocked = {
      ...{ status: "blocked", issue: "#7", directory: null, branch: null, base: null, task: null },
      acceptanceCriteria: [],
    };
    expect(faults(preparer, { ...blocked, reason: "the issue is closed" })).toEqual([]);
    expect(faults(preparer, { ...blocked, reason: null })).toEqual(["blocked needs the reason"]);
  });
});

describe("the developer's result", () => {
  const done: DeveloperMeta = {
    status: "done",
    childThread: null,
    commit: "c0ffee",
    summary: "mended",
    reason: null,
  };

  it("is done with a commit, failed with a reason", () => {
    expect(faults(developer, done)).toEqual([]);
    expect(faults(developer, { ...done, commit: null })).toEqual(["done needs the commit"]);
    expect(faults(developer, { ...done, status: "failed" })).toEqual(["failed needs the reason"]);
  });
});

describe("the submitter's result", () => {
  const submitted: SubmitterMeta = { url: "https://example.org/shop/pulls/8", reason: null };

  it("is the address of a pull request, or the reason why there is none", () => {
    expect(faults(submitter, submitted)).toEqual([]);
    expect(faults(submitter, { url: null, reason: "the push was rejected" })).toEqual([]);
    expect(faults(submitter, { url: null, reason: null })).toEqual([
      "without a pull request, say why there is none",
    ]);
  });

  it.each(["pull request 8", "javascript:alert(1)", "file:///etc/passwd"])(
    "does not take %j for an address",
    (url) => {
      expect(faults(submitter, { ...submitted, url })).not.toEqual([]);
    },
  );
});
