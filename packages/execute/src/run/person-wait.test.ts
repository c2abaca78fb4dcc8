import type { DescriptorRole, PersonWait } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { type Asking, isOverdue, waitFor } from "./person-wait.ts";

const agent: DescriptorRole = { description: "", systemPrompt: "", schema: { type: "object" } };
const boss: DescriptorRole = { ...agent, person: { assignees: ["alice"] }, timeoutMs: 100 };
const ASKED: PersonWait = {
  ...{ kind: "person", role: "boss", message: "Ship it?", form: { type: "object" }, route: null },
  ...{ since: 1_000, deadline: 1_100, assignees: ["alice"] },
};

const waits = (about: Partial<Asking> = {}): ReturnType<typeof waitFor> =>
  waitFor({
    suspension: { kind: "person", role: "boss", message: "Ship it?" },
    ...{ route: null, roles: { agent, boss }, before: [], nowMs: 1_000, ...about },
  });

describe("what a thread waits for", () => {
  it("is a person with the form, the deadline and the assignees of the descriptor", () => {
    expect(waits()).toEqual({ ok: true, value: ASKED });
    const patient = { agent, boss: { ...agent, person: {} } };
    expect(waits({ roles: patient })).toMatchObject({ value: { deadline: null, assignees: [] } });
  });

  it("keeps the deadline of a person who is still asked the same", () => {
    expect(waits({ before: [ASKED], nowMs: 1_050 })).toEqual({ ok: true, value: ASKED });
  });

  it("is nobody whom the descriptor does not know", () => {
    for (const role of ["agent", "stranger", "toString"]) {
      const suspension = { kind: "person", role, message: "" } as const;
      expect(waits({ suspension })).toMatchObject({ ok: false, error: { code: "INVALID_OUTPUT" } });
    }
  });

  it("is a role's question as the workflow asks it", () => {
    const suspension = { role: "agent", message: "Which?" };
    expect(waits({ suspension })).toEqual({ ok: true, value: suspension });
  });

  it("is overdue from the deadline on, if it has one", () => {
    expect([1_099, 1_100].map((nowMs) => isOverdue(ASKED, nowMs))).toEqual([false, true]);
    expect(isOverdue({ ...ASKED, deadline: null }, 9e12)).toBe(false);
    expect(isOverdue({ role: "agent", message: "" }, 9e12)).toBe(false);
  });
});
