import { encodeContent } from "@uncaged/workflow-cas";
import type { CheckEvidence, RoleRules, StepRun, ToolCallRecord } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { NEEDS_TESTS, NO_EDITS, toolCall } from "../testing/role-rules.test.helper.ts";
import { type HeldStep, holdStep } from "./check-role-rules.ts";

const TESTED = toolCall();

const cas = (texts: readonly string[]) => {
  const blobs = new Map(texts.map((text) => [encodeContent(text).hash, encodeContent(text).text]));
  return { hashes: [...blobs.keys()], get: async (hash: string) => blobs.get(hash) ?? null };
};

async function codeOf(
  rules: RoleRules,
  calls: readonly (ToolCallRecord | string)[] | null,
  about: {
    policy?: StepRun["policy"];
    outcome?: HeldStep["outcome"];
    again?: boolean;
    files?: HeldStep["files"];
  } = {},
): Promise<string | null> {
  const store = cas(
    (calls ?? []).map((each) => (typeof each === "string" ? each : JSON.stringify(each))),
  );
  const { policy, outcome, again = false, files = null } = about;
  const run = {
    agent: { name: "handmade", version: "1" },
    evidence: store.hashes,
    ...(policy === undefined ? {} : { policy }),
  };
  const step = { role: "coder", outcome, run: calls === null ? null : run, files };
  const earlier = new Set(again ? store.hashes : []);
  return (await holdStep(store, rules, { step, earlier })).fault?.code ?? null;
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
      files: null,
    };
    const { fault } = await holdStep(cas([]), NEEDS_TESTS, { step, earlier: new Set() });
    expect(fault?.code).toBe("EVIDENCE_MISSING");
  });
});

describe("a result of a role that has to pass a check", () => {
  const command = ["npm", "test"];
  const rules: RoleRules = { requiredEvidence: [{ check: { command } }] };
  const files = { tree: "a".repeat(40), base: "b".repeat(40) };
  const green = {
    tree: files.tree,
    exitCode: 0,
    timedOut: false,
    durationMs: 1,
    output: "",
    changed: [],
  };
  const passed: CheckEvidence = {
    ...files,
    ...{ check: 1, command, environment: "", controls: [], faults: [], verdict: "passed" },
    isolation: { by: "bubblewrap", network: "off" },
    ...{ clean: green, controlled: null, canary: { ...green, exitCode: 1 } },
  };
  const of = (evidence: Partial<CheckEvidence>) => [JSON.stringify({ ...passed, ...evidence })];

  it("is a step when the evidence is of the very files that it left", async () => {
    expect(await codeOf(rules, of({}), { files })).toBeNull();
    expect(await codeOf(rules, of({}), { files, again: true })).toBeNull();
  });

  it.each([
    ["without a record", null, files],
    ["without evidence", [], files],
    ["whose files are not recorded", of({}), null],
    ["whose files were changed afterwards", of({}), { ...files, tree: "c".repeat(40) }],
    ["of other beginnings", of({}), { ...files, base: "c".repeat(40) }],
    ["of another command", of({ command: ["npm", "run", "test"] }), files],
    ["that says passed, and did not exit with 0", of({ clean: { ...green, exitCode: 1 } }), files],
    ["that says passed, and ran on another tree", of({ clean: { ...green, tree: "" } }), files],
    [
      "that says passed without the controls of the base",
      of({ controls: ["package.json"] }),
      files,
    ],
    ["that says passed with a canary that did not fail", of({ canary: green }), files],
    ["that says failed", of({ verdict: "failed" }), files],
    ["whose evidence is a call", [TESTED], files],
  ] satisfies [string, (ToolCallRecord | string)[] | null, HeldStep["files"]][])(
    "is none %s",
    async (_name, records, at) => {
      expect(await codeOf(rules, records, { files: at })).toBe("EVIDENCE_MISSING");
    },
  );
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
