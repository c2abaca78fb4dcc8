import type { RoleStep } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { roleAgents } from "./role-agents.ts";

const settings = {
  bindings: new Map([["review", new Map([["writer", "codex"]])]]),
};
const review = { agent: null, workflow: "review" };

/** A step of the writer in a session; `binding` null: the workflow's own agent ran it. */
function step(session: string, binding: string | null): RoleStep {
  const agent = { name: "some", version: "1", ...(binding === null ? {} : { binding }) };
  return {
    role: "writer",
    meta: {},
    contentHash: "",
    refs: [],
    timestamp: 0,
    childThread: null,
    run: {
      agent,
      session,
      prompt: null,
      startedAt: 0,
      completedAt: 0,
      usage: null,
      cwd: "/",
      evidence: [],
    },
  };
}

it("uses this machine's binding, for this workflow and this role only", () => {
  const fresh = { previousSession: null };
  expect(roleAgents(review, settings, [])({ role: "writer", ...fresh }).agent).toBe("codex");
  expect(roleAgents(review, settings, [])({ role: "reviewer", ...fresh }).agent).toBeNull();
  const other = roleAgents({ agent: null, workflow: "other" }, settings, []);
  expect(other({ role: "writer", ...fresh }).agent).toBeNull();
});

it("prefers the agent requested for the step or for the thread", () => {
  const request = { role: "writer", previousSession: null };
  const asked = roleAgents({ ...review, agent: "claude" }, settings, []);
  expect(asked(request).agent).toBe("claude");
  expect(asked({ ...request, agent: "hermes" }).agent).toBe("hermes");
});

it("continues a session that the same agent made, and no other", () => {
  const request = { role: "writer", previousSession: "s-1" };
  expect(roleAgents(review, settings, [step("s-1", "codex")])(request).previousSession).toBe("s-1");
  for (const binding of [null, "claude"])
    expect(
      roleAgents(review, settings, [step("s-1", binding)])(request).previousSession,
    ).toBeNull();
  const unbound = { bindings: new Map() };
  expect(roleAgents(review, unbound, [step("s-1", null)])(request).previousSession).toBe("s-1");
  expect(roleAgents(review, unbound, [step("s-1", "codex")])(request).previousSession).toBeNull();
});

it("continues a session that the role made while this process ran it", () => {
  const agentOf = roleAgents(review, settings, []);
  agentOf({ role: "writer", previousSession: null });
  expect(agentOf({ role: "writer", previousSession: "s-2" }).previousSession).toBe("s-2");
  agentOf({ role: "writer", previousSession: "s-2", agent: "claude" });
  expect(agentOf({ role: "writer", previousSession: "s-3" }).previousSession).toBeNull();
});

it("keeps the session of a step that is requested together with its agent", () => {
  const agentOf = roleAgents(review, settings, []);
  const poke = { role: "writer", previousSession: "s-9", agent: "claude" };
  expect(agentOf(poke)).toEqual({ agent: "claude", previousSession: "s-9" });
});
