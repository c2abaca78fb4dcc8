import type { ToolPolicy } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { policyVerdict } from "./policy-verdict.ts";

const write = { name: "Write", kind: "edit", subject: "src/a.ts" } as const;
const shell = (subject: string) => ({ name: "Bash", kind: "execute", subject }) as const;

function allowed(policy: ToolPolicy | null, call: Parameters<typeof policyVerdict>[1]): boolean {
  return policyVerdict(policy, call).allowed;
}

describe("policyVerdict", () => {
  it("allows everything without a policy, or with an empty one", () => {
    expect(allowed(null, write)).toBe(true);
    expect(allowed({}, write)).toBe(true);
  });

  it("refuses what a deny rule matches, and nothing else", () => {
    const policy = { deny: [{ kind: "edit" }] } as const;
    expect(policyVerdict(policy, write)).toEqual({
      allowed: false,
      reason: "Write is denied to this role by the rule for kind edit",
    });
    expect(allowed(policy, shell("ls"))).toBe(true);
  });

  it("refuses what no allow rule matches", () => {
    const policy = {
      allow: [{ kind: "read" }, { kind: "execute", input: "^npm (test|ci)$" }],
    } as const;
    expect(allowed(policy, { name: "Read", kind: "read", subject: "a" })).toBe(true);
    expect(allowed(policy, shell("npm test"))).toBe(true);
    expect(allowed(policy, shell("npm publish"))).toBe(false);
    expect(allowed(policy, { name: "New", kind: "other", subject: "" })).toBe(false);
    expect(allowed({ allow: [] }, shell("ls"))).toBe(false);
  });

  it("gives a deny rule precedence over an allow rule", () => {
    const policy = {
      allow: [{ kind: "execute" }],
      deny: [{ kind: "execute", input: "git push" }],
    } as const;
    expect(allowed(policy, shell("git push --force"))).toBe(false);
    expect(allowed(policy, shell("git status"))).toBe(true);
  });

  it("matches tools by the agent's own names, in which a star is any characters", () => {
    const policy = { deny: [{ name: "mcp__*__write" }] };
    expect(allowed(policy, { ...write, name: "mcp__files__write" })).toBe(false);
    expect(allowed(policy, { ...write, name: "mcp__files__write2" })).toBe(true);
    expect(allowed({ deny: [{ name: "Wri.e" }] }, write)).toBe(true);
    expect(allowed({ deny: [{ name: "*" }] }, { ...write, name: "a\nb" })).toBe(false);
  });

  it.each([
    ["a broken pattern", { kind: "edit", input: "(" } as const],
    ["a pattern that no linear engine can match", { kind: "edit", input: "(?=a)" } as const],
    ["no tool", { input: "." }],
    ["nothing", {}],
  ])("fails closed for a rule with %s", (_name, rule) => {
    expect(allowed({ deny: [rule] }, write)).toBe(false);
    expect(allowed({ allow: [rule] }, write)).toBe(false);
  });

  it("decides at once, whatever the pattern and the call", () => {
    const policy = { deny: [{ kind: "execute", input: "^(a+)+$" }] } as const;
    const before = performance.now();
    expect(allowed(policy, shell(`${"a".repeat(50_000)}!`))).toBe(true);
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});
