import { Ledger } from "@uncaged/workflow-moderator";
import { type AdapterFn, START, type StepRun } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  buildDescriptor,
  createWorkflow,
  definePerson,
  defineRole,
  defineWorkflow,
  END,
  type RoleDefinition,
  SUSPEND,
  type Transition,
} from "./index.ts";

const coder = defineRole({
  description: "Codes",
  systemPrompt: "You code.",
  schema: z.object({ files: z.number() }),
  extractRefs: null,
});
const approver = definePerson({
  description: "Approves",
  schema: z.object({ approved: z.boolean() }),
  timeoutMs: 60_000,
  assignees: ["alice"],
});
const definition = defineWorkflow({
  description: "A person approves",
  roles: { coder, approver },
  table: {
    [START]: [{ condition: "FALLBACK", role: "coder" }],
    coder: [{ condition: "FALLBACK", role: "approver", prompt: "{{ last.meta.files }} files?" }],
    approver: [
      { condition: { name: "approved", when: "last.meta.approved" }, role: END },
      { condition: "FALLBACK", role: "coder" },
    ],
  },
});
const never: AdapterFn = () => () => Promise.reject(new Error("no agent plays here"));

const anybody: RoleDefinition = definePerson<Record<string, unknown>>({
  description: "",
  schema: z.looseObject({}),
});

const faultsOf = (
  changes: Partial<RoleDefinition>,
  rules: readonly Transition<"a">[] = [],
): string => {
  const person = { ...anybody, ...changes };
  try {
    createWorkflow(
      { description: "", roles: { a: person }, table: { [START]: [], a: rules } },
      { adapter: never, overrides: null },
    );
    return "";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
};

describe("a role that a person plays", () => {
  it("is in the descriptor with who is asked, for how long, and the form", () => {
    expect(buildDescriptor(definition).roles.approver).toMatchObject({
      person: { assignees: ["alice"] },
      timeoutMs: 60_000,
      schema: { properties: { approved: { type: "boolean" } } },
    });
    expect(buildDescriptor(definition).roles.coder).not.toHaveProperty("person");
  });

  it("has no rules that are for agents, and asks no person itself", () => {
    expect(faultsOf({ retry: { attempts: 1 }, tools: { deny: [] } })).toBe(
      "roles.a.tools: is for agents, and a person plays the role; roles.a.retry: is for agents, and a person plays the role",
    );
    expect(faultsOf({ person: { assignees: [" "] } })).toBe(
      "roles.a.person.assignees[0]: is empty",
    );
    expect(faultsOf({}, [{ condition: "FALLBACK", role: SUSPEND }])).toContain(
      "table.a[0].role: a person's role cannot lead to SUSPEND",
    );
  });

  it("is bound to no agent", () => {
    const bind = (): unknown =>
      createWorkflow(definition, { adapter: never, overrides: { approver: never } });
    expect(bind).toThrow("binding.overrides.approver: a person plays this role");
  });

  it("does not use up time that roles may run", () => {
    const run: StepRun = {
      ...{ agent: { name: "person", version: "" }, session: null, prompt: null },
      ...{ startedAt: 0, completedAt: 9_000, usage: null, cwd: "/", evidence: [] },
    };
    const step = {
      role: "approver",
      meta: {},
      contentHash: "",
      refs: [],
      timestamp: 0,
      childThread: null,
    };
    const limits = { thread: { timeMs: 5_000 }, roles: new Map() };
    const waited = { ...step, run: { ...run, person: { user: "alice", assignees: [] } } };
    expect(new Ledger(limits, [waited]).reached("coder")).toBeNull();
    expect(new Ledger(limits, [{ ...step, run }]).reached("coder")).toMatchObject({
      bound: "timeMs",
    });
  });
});
