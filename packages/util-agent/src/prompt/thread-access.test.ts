import type { ToolPolicy } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { type ThreadReach, threadAccess } from "./thread-access.ts";

const COMMAND = "uncaged-workflow thread context T";
const mcpTool: ThreadReach["mcpTool"] = (tool) => `mcp__engine__${tool}`;

const context = (policy: ToolPolicy | null, reach: ThreadReach = {}): string | undefined =>
  threadAccess("T", policy, reach).context(null)?.what;

describe("how a role reaches its thread", () => {
  it("is by commands, unless the agent has none", () => {
    expect(context(null)).toBe(COMMAND);
    expect(threadAccess("T", null, {}).context(4)?.what).toBe(`${COMMAND} --before 4`);
    expect(context(null, { commands: false })).toBeUndefined();
  });

  it.each<[string, ToolPolicy]>([
    ["its kind is denied", { deny: [{ kind: "execute" }] }],
    ["its name is denied", { deny: [{ name: "Bash" }] }],
    ["only reading is allowed", { allow: [{ kind: "read" }, { kind: "search" }] }],
    ["only other commands are allowed", { allow: [{ kind: "execute", input: "^git " }] }],
    ["a rule cannot be read", { deny: [{ kind: "execute", input: "(" }] }],
  ])("is not by commands when %s", (_why, policy) => {
    expect(context(policy)).toBeUndefined();
    expect(
      context({ ...policy, allow: policy.allow && [...policy.allow, OURS] }, { mcpTool }),
    ).toBe('mcp__engine__thread_context {"thread":"T"}');
  });

  it("is by commands when the policy allows exactly these", () => {
    expect(context({ allow: [{ name: "Bash", input: "^uncaged-workflow " }] })).toBe(COMMAND);
    const access = threadAccess("T", { allow: [{ kind: "execute", input: " thread " }] }, {});
    expect([access.get("H"), access.put()]).toEqual([null, null]);
  });

  it("is not by a tool either when the policy does not allow it", () => {
    expect(context({ allow: [{ kind: "read" }] }, { mcpTool })).toBeUndefined();
  });
});

const OURS = { name: "mcp__engine__*" };
