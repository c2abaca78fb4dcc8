import type { EvidenceRequirement } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import {
  evidenceTally,
  evidenceWords,
  missingEvidence,
  type SeenCall,
} from "./missing-evidence.ts";

const TESTS: EvidenceRequirement = { name: "tests", kind: "execute", input: "^npm test$" };
const AFTER_EDIT: EvidenceRequirement = { ...TESTS, after: "last_edit" };
const edit: SeenCall = { kind: "edit", subject: "a.ts", ok: true, exitCode: null };
const test: SeenCall = { kind: "execute", subject: "npm test", ok: true, exitCode: 0 };

function seen(requirement: EvidenceRequirement, calls: readonly SeenCall[]): string {
  return missingEvidence([requirement], calls)[0]?.seen ?? "met";
}

describe("missingEvidence", () => {
  it.each([
    ["nothing", [], "no such call was seen"],
    ["the call", [test], "met"],
    ["another command", [{ ...test, subject: "npm ci" }], "no such call was seen"],
    ["another kind of call", [{ ...test, kind: "think" }], "no such call was seen"],
    ["a failed call", [{ ...test, ok: false, exitCode: 2 }], "it exited 2"],
    ["a success that exited 1", [{ ...test, exitCode: 1 }], "it exited 1"],
    ["a call without exit code", [{ ...test, exitCode: null }], "its exit code was not reported"],
    ["a failure after a success", [test, { ...test, exitCode: 1 }], "it exited 1"],
    ["a success after a failure", [{ ...test, exitCode: 1 }, test], "met"],
    ["an edit after it", [test, edit], "met"],
  ] satisfies [string, SeenCall[], string][])("after %s", (_name, calls, expected) => {
    expect(seen(TESTS, calls)).toBe(expected);
  });

  it.each([
    ["edit", "it was seen before the last edit, not after it"],
    ["delete", "it was seen before the last edit, not after it"],
    ["move", "it was seen before the last edit, not after it"],
    ["read", "met"],
  ] as const)("with `after: last_edit`, when the last call is of kind %s", (kind, expected) => {
    expect(seen(AFTER_EDIT, [test, { ...edit, kind }])).toBe(expected);
    expect(seen(AFTER_EDIT, [{ ...edit, kind }, test])).toBe("met");
  });

  it("does not count an edit that failed", () => {
    expect(seen(AFTER_EDIT, [test, { ...edit, ok: false }])).toBe("met");
  });

  it("requires no exit code of calls that have none", () => {
    const changelog: EvidenceRequirement = { name: "log", kind: "edit", input: "CHANGELOG" };
    expect(seen(changelog, [{ ...edit, subject: "CHANGELOG.md" }])).toBe("met");
    expect(seen({ ...changelog, after: "last_edit" }, [{ ...edit, subject: "CHANGELOG.md" }])).toBe(
      "met",
    );
  });

  it("never meets a requirement whose pattern cannot be read", () => {
    expect(seen({ ...TESTS, input: "(" }, [test])).toBe("no such call was seen");
  });

  it("puts a requirement into words", () => {
    const [missing] = missingEvidence([AFTER_EDIT], [test, edit]);
    expect(missing && evidenceWords(missing)).toBe(
      "tests: a successful call of kind execute matching /^npm test$/, after the last edit (it was seen before the last edit, not after it)",
    );
  });

  it("learns from a tally which calls count", () => {
    const tally = evidenceTally([TESTS]);
    expect([edit, test].map(tally.note)).toEqual([false, true]);
  });
});
