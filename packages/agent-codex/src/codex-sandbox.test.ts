import type { ToolPolicy, ToolRule } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { codexSandbox } from "./codex-sandbox.ts";

const edits: ToolRule[] = [{ kind: "edit" }, { kind: "delete" }, { kind: "move" }];
const reads: ToolRule[] = [{ kind: "read" }, { kind: "search" }];
const run: ToolRule = { kind: "execute" };

function sandbox(policy: ToolPolicy | null, config = {}) {
  const found = codexSandbox(config, policy);
  if (!found.ok) throw new Error(found.error);
  return found.value;
}

function refusal(policy: ToolPolicy | null, config = {}): string {
  const found = codexSandbox(config, policy);
  return found.ok ? "" : found.error;
}

describe("a role without a policy", () => {
  it("works in the sandbox of its directory, without a network", () => {
    expect(sandbox(null)).toEqual({
      mode: "workspace-write",
      shell: true,
      commandKind: "execute",
      network: false,
      webSearch: true,
      plainTools: false,
    });
  });

  it("gets the network, or no sandbox, when its binding says so", () => {
    expect(sandbox(null, { network: true }).network).toBe(true);
    expect(sandbox(null, { sandbox: "none" }).mode).toBe("danger-full-access");
  });
});

it("a role that coordinates reads, and its own tools are no rules for others", () => {
  const allow = [...reads, { kind: "fetch" as const }, { name: "*worker_spawn" }];
  expect(sandbox({ allow, deny: [...edits, { name: "Agent" }, { name: "task" }] })).toMatchObject({
    ...{ mode: "read-only", shell: true, commandKind: "read", plainTools: true },
  });
  // Any other name may be meant for one of Codex's tools.
  expect(refusal({ allow, deny: [...edits, { name: "Bash" }] })).toContain("only some calls");
});

describe("a role that may not edit", () => {
  const denied = { deny: edits };

  it("runs its commands where nothing can be written, and without a network", () => {
    expect(sandbox(denied, { network: true })).toMatchObject({
      mode: "read-only",
      shell: true,
      commandKind: "execute",
      network: false,
      plainTools: true,
    });
  });

  it.each<[string, ToolPolicy]>([
    ["may not execute either", { deny: [...edits, run] }],
    ["may only read and search", { allow: reads }],
  ])("reads with its commands when it %s", (_name, policy) => {
    expect(sandbox(policy)).toMatchObject({ mode: "read-only", shell: true, commandKind: "read" });
  });

  it("has no commands at all when it may not read", () => {
    expect(sandbox({ deny: [...edits, ...reads, run] })).toMatchObject({
      mode: "read-only",
      shell: false,
    });
    expect(sandbox({ allow: [] })).toMatchObject({ mode: "read-only", shell: false });
  });
});

describe("the web", () => {
  it("is searched only by a role that may fetch", () => {
    expect(sandbox({ deny: [{ kind: "fetch" }] }).webSearch).toBe(false);
    expect(sandbox({ allow: reads }).webSearch).toBe(false);
    expect(sandbox({ deny: edits }).webSearch).toBe(true);
  });

  it("is reached neither by commands nor by a search of a role without a network", () => {
    expect(codexSandbox({ network: true }, { network: false })).toMatchObject({
      ok: true,
      value: { mode: "workspace-write", network: false, webSearch: false, plainTools: true },
    });
    expect(sandbox({ network: true }).webSearch).toBe(true);
    expect(refusal({ network: false }, { sandbox: "none" })).toContain("nothing");
  });

  it("is not reached by commands of a role that may not fetch", () => {
    expect(refusal({ deny: [{ kind: "fetch" }] }, { network: true })).toContain("network");
  });
});

describe("a policy that the sandbox cannot express is refused:", () => {
  it.each<[string, ToolPolicy, string]>([
    ["a rule for some commands", { deny: [{ kind: "execute", input: "rm" }] }, "kind execute"],
    [
      "only some commands allowed",
      { allow: [...reads, { ...run, input: "^npm" }] },
      "kind execute",
    ],
    ["a rule for some files", { deny: [{ kind: "edit", input: "^docs/" }] }, "kind edit"],
    ["a rule by name", { deny: [{ name: "apply_patch" }] }, "kind read"],
    ["editing without deleting", { deny: [{ kind: "delete" }] }, "edit, delete and move alike"],
    ["reading without searching", { deny: [{ kind: "search" }] }, "both or none"],
    ["commands that may not read", { deny: [...reads, ...edits] }, "can read any file"],
    ["editing without commands", { deny: [run] }, "could not read what it edits"],
  ])("%s", (_name, policy, why) => {
    expect(refusal(policy)).toContain(why);
  });

  it("any policy, where there is no sandbox", () => {
    expect(refusal({ deny: edits }, { sandbox: "none" })).toContain("nothing that would enforce");
  });

  it("any policy, with the tools and hooks of the user", () => {
    expect(refusal({ deny: edits }, { config: "user" })).toContain("outside the sandbox");
  });

  it("a rule that names nothing allows nothing", () => {
    expect(refusal({ allow: [{}] })).not.toBe("");
  });
});
