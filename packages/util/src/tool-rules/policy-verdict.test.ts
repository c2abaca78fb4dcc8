import type { ToolPolicy } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { leavesCommands, policyVerdict } from "./policy-verdict.ts";

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

describe("a role without a network", () => {
  const policy = {
    network: false,
    allow: [{ name: "mcp__tickets__*" }, { kind: "fetch" }, { kind: "execute" }],
  } as const;
  const other = (name: string) => ({ name, kind: "other", subject: "" }) as const;

  it("fetches nothing, whatever its rules allow", () => {
    const call = { name: "WebFetch", kind: "fetch", subject: "https://example.org" } as const;
    expect(policyVerdict(policy, call)).toEqual({
      allowed: false,
      reason: "WebFetch is denied to this role: the role may not use the network",
    });
    expect(allowed({ network: true }, call)).toBe(true);
  });

  it.each(["WebSearch", "web_search", "google_web_search", "websearch"])(
    "has nobody search the web for it: %s",
    (name) => {
      const call = { name, kind: "search", subject: "{}" } as const;
      expect(allowed({ network: false, allow: [{ kind: "search" }, { name }] }, call)).toBe(false);
      expect(allowed({ deny: [{ kind: "fetch" }] }, call)).toBe(true);
      expect(allowed({ network: false }, { ...call, name: "Grep" })).toBe(true);
    },
  );

  it("uses an unknown tool only if a rule names it", () => {
    expect(allowed(policy, other("mcp__tickets__list"))).toBe(true);
    expect(allowed({ network: false }, other("New"))).toBe(false);
    expect(allowed({ network: false }, shell("ls"))).toBe(true);
  });

  it("hears every reason for which an unknown tool is refused", () => {
    const { reason } = policyVerdict({ network: false, deny: [{ kind: "edit" }] }, other("New"));
    expect(reason).toMatch(/may change files.*may not use the network/);
  });
});

describe("leavesCommands", () => {
  it.each<[boolean, ToolPolicy]>([
    [true, {}],
    [true, { deny: [{ kind: "execute", command: ["git"] }] }],
    [true, { deny: [{ kind: "execute", name: "Bash" }] }],
    [true, { deny: [{ kind: "edit" }] }],
    [true, { allow: [{ kind: "execute", command: ["npm", "test"] }] }],
    [true, { allow: [{ name: "Bash" }] }],
    [true, { allow: [{ kind: "read" }], ask: [{ kind: "execute" }] }],
    [false, { allow: [{ kind: "read" }], ask: [{ kind: "edit" }] }],
    [false, { deny: [{ kind: "execute" }] }],
    [false, { deny: [{ name: "*" }] }],
    [false, { allow: [{ kind: "execute" }], deny: [{ kind: "execute", name: "*" }] }],
  ])("%s for %j", (expected, policy) => {
    expect(leavesCommands(policy)).toBe(expected);
  });
});
