import { encodeContent } from "@uncaged/workflow-cas";
import type { RoleRules, StepRun, ToolCallRecord } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { NEEDS_TESTS, NO_EDITS, toolCall } from "../testing/role-rules.test.helper.ts";
import { type HeldStep, roleRulesFault } from "./check-role-rules.ts";

const TESTED = toolCall();

const cas = (texts: readonly string[]) => {
  const blobs = new Map(texts.map((text) => [encodeContent(text).hash, encodeContent(text).text]));
  return { hashes: [...blobs.keys()], get: async (hash: string) => blobs.get(hash) ?? null };
};

async function codeOf(
  rules: RoleRules,
  calls: readonly (ToolCallRecord | string)[] | null,
  about: { policy?: StepRun["policy"]; outcome?: HeldStep["outcome"]; again?: boolean } = {},
): Promise<string | null> {
  const store = cas(
    (calls ?? []).map((each) => (typeof each === "string" ? each : JSON.stringify(each))),
  );
  const { policy, outcome, again = false } = about;
  const run = {
    agent: { name: "handmade", version: "1" },
    evidence: store.hashes,
    ...(policy === undefined ? {} : { policy }),
  };
  const step = { role: "coder", outcome, run: calls === null ? null : run };
  const earlier = new Set(again ? store.hashes : []);
  return (await roleRulesFault(store, rules, { step, earlier }))?.code ?? null;
}

describe("a result of a role that requires evidence", () => {
  it("is a step when the calls that it names prove it", async () => {
    expect(await codeOf(NEEDS_TESTS, [TESTED])).toBeNull();
    expect(await codeOf({}, null)).toBeNull();
  });

  it.each([
    ["without a record", null],
    ["without evidence", []],
    ["with something else for evidence", ["npm test passed", '{"ok":true}']],
    ["with a call that failed", [toolCall({ exitCode: 1 })]],
    ["with a call elsewhere", [toolCall({ place: "elsewhere" })]],
    ["with an edit after it", [TESTED, toolCall({ id: "2", kind: "edit", subject: "a" })]],
    ["with a trick", [toolCall({ subject: "npm test || true" })]],
  ] satisfies [string, (ToolCallRecord | string)[] | null][])(
    "is none %s",
    async (_name, calls) => {
      expect(await codeOf(NEEDS_TESTS, calls)).toBe("EVIDENCE_MISSING");
    },
  );

  it("is none when an earlier step of the thread has used its evidence", async () => {
    expect(await codeOf(NEEDS_TESTS, [TESTED], { again: true })).toBe("EVIDENCE_MISSING");
  });

  it("is not checked when it is a failure that the table routes on", async () => {
    expect(await codeOf(NEEDS_TESTS, [], { outcome: "timeout" })).toBeNull();
  });

  it("is none when the store does not have what it names", async () => {
    const step = {
      role: "coder",
      outcome: undefined,
      run: { agent: { name: "a", version: "1" }, evidence: ["0000000000000"] },
    };
    const fault = await roleRulesFault(cas([]), NEEDS_TESTS, { step, earlier: new Set() });
    expect(fault?.code).toBe("EVIDENCE_MISSING");
  });
});

describe("a result of a role that has a tool policy", () => {
  it("is none when its adapter does not say that it held it", async () => {
    expect(await codeOf(NO_EDITS, [])).toBe("AGENT_FAILED");
    expect(await codeOf(NO_EDITS, null)).toBe("AGENT_FAILED");
    expect(await codeOf(NO_EDITS, [], { policy: "held" })).toBeNull();
  });

  it.each([
    ["an edit", [toolCall({ kind: "edit" })], "AGENT_DENIED"],
    ["an edit that failed", [toolCall({ kind: "edit", ok: false })], null],
    ["an edit that was refused", [toolCall({ kind: "edit", refused: true })], null],
    ["a read", [toolCall({ kind: "read" })], null],
    ["a thought", [toolCall({ kind: "think" })], null],
  ] satisfies [string, ToolCallRecord[], string | null][])(
    "that denies edits, and %s",
    async (_name, calls, code) => {
      expect(await codeOf(NO_EDITS, calls, { policy: "held" })).toBe(code);
    },
  );

  it("is judged by kinds alone, because only a part of the subject is kept", async () => {
    const rules: RoleRules = {
      tools: {
        allow: [{ kind: "execute", input: "^git status$" }],
        deny: [{ kind: "read", input: "secret" }],
      },
    };
    expect(
      await codeOf(rules, [toolCall({ subject: "[redacted]" })], { policy: "held" }),
    ).toBeNull();
    expect(await codeOf(rules, [toolCall({ kind: "edit" })], { policy: "held" })).toBe(
      "AGENT_DENIED",
    );
  });
});
