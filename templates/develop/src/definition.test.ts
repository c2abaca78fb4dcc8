import { buildDescriptor, END, START } from "@uncaged/workflow-runtime";
import { describe, expect, expectTypeOf, it } from "vitest";
import {
  developCheckedBy,
  developProvenBy,
  developUncheckedDefinition,
  developWorkflowDefinition,
} from "./definition.ts";
import type { CoderMeta, DevelopMeta, PlannerMeta, ReviewerMeta, TesterMeta } from "./index.ts";

describe("the definition of develop", () => {
  it("has exactly these roles and edges", () => {
    const { roles, graph } = buildDescriptor(developUncheckedDefinition);
    expect(Object.keys(roles)).toEqual(["planner", "coder", "reviewer", "tester", "committer"]);
    expect(graph.edges.map(({ from, condition, to }) => [from, condition, to])).toEqual([
      [START, "FALLBACK", "planner"],
      ["planner", "planAborted", END],
      ["planner", "FALLBACK", "coder"],
      ["coder", "allPhasesComplete", "reviewer"],
      ["coder", "FALLBACK", "coder"],
      ["reviewer", "approved", "tester"],
      ["reviewer", "FALLBACK", "coder"],
      ["tester", "passed", "committer"],
      ["tester", "FALLBACK", "coder"],
      ["committer", "FALLBACK", END],
    ]);
  });

  it("lets a reviewer read and run, and not edit", () => {
    const { roles } = buildDescriptor(developWorkflowDefinition);
    const held = Object.entries(roles).filter(([, { tools }]) => tools !== undefined);
    expect(held.map(([role, { tools }]) => [role, tools])).toEqual([
      ["reviewer", { deny: [{ kind: "edit" }, { kind: "delete" }, { kind: "move" }] }],
    ]);
  });

  it("believes a coder only after the tests, where it is told what they are", () => {
    const { roles } = buildDescriptor(developProvenBy({ tests: "^npm test$" }));
    expect(roles.coder?.requiredEvidence).toEqual([
      { name: "tests", kind: "execute", input: "^npm test$", after: "last_edit" },
    ]);
    expect(
      buildDescriptor(developUncheckedDefinition).roles.coder?.requiredEvidence,
    ).toBeUndefined();
  });

  it("has the coder's files checked by `npm test`, unless it is told how", () => {
    const npmTest = { command: ["npm", "test"], setup: ["npm", "install"] };
    expect(buildDescriptor(developWorkflowDefinition)).toEqual(
      buildDescriptor(developCheckedBy(npmTest)),
    );
  });

  it("has the coder's files checked where it is told how", () => {
    const check = { command: ["npm", "test"], setup: ["npm", "ci"] };
    const { roles, graph } = buildDescriptor(developCheckedBy(check));
    expect(roles.coder?.requiredEvidence).toEqual([{ check }]);
    const ofTester = graph.edges.filter(({ from }) => from === "tester");
    expect(ofTester.map(({ condition, to }) => [condition, to])).toEqual([
      ["changedSince", "coder"],
      ["passed", "committer"],
      ["FALLBACK", "coder"],
    ]);
  });

  it("describes every result by a schema that agents' structured-output modes accept", () => {
    for (const [role, { schema }] of Object.entries(
      buildDescriptor(developWorkflowDefinition).roles,
    )) {
      expect(schema, role).toMatchObject({ type: "object" });
      expectStrict(schema, role);
    }
  });

  it("explains every field of a result in the role's prompt", () => {
    for (const [role, { schema, systemPrompt }] of Object.entries(
      buildDescriptor(developWorkflowDefinition).roles,
    )) {
      const answer = systemPrompt.slice(systemPrompt.indexOf("## Answer"));
      for (const field of Object.keys(schema.properties ?? {})) {
        expect(answer, `${role}.${field}`).toMatch(new RegExp(`^- .*\\b${field}\\b.*:`, "mu"));
      }
    }
  });

  it("infers the metas from the schemas", () => {
    expectTypeOf<PlannerMeta>().toEqualTypeOf<{
      status: "planned" | "aborted";
      phases: { hash: string; title: string }[];
      reason: string | null;
    }>();
    expectTypeOf<CoderMeta>().toEqualTypeOf<{
      completedPhase: string | null;
      summary: string;
      changedFiles: string[];
    }>();
    expectTypeOf<ReviewerMeta["status"]>().toEqualTypeOf<"approved" | "rejected">();
    expectTypeOf<TesterMeta["status"]>().toEqualTypeOf<"passed" | "failed">();
    expectTypeOf<keyof DevelopMeta>().toEqualTypeOf<
      "planner" | "coder" | "reviewer" | "tester" | "committer"
    >();
  });
});

const KEYWORDS = [
  ...["$schema", "type", "properties", "required", "additionalProperties", "items", "anyOf"],
  ...["enum", "pattern", "format", "minimum", "maximum"],
];

/** The strictest of those modes want an object at the root, every field required, no field beside
 *  those named, and none of the rarer keywords. */
function expectStrict(schema: unknown, place: string): void {
  if (typeof schema !== "object" || schema === null) return;
  const entries = new Map<string, unknown>(Object.entries(schema));
  expect(KEYWORDS, place).toEqual(expect.arrayContaining([...entries.keys()]));
  const properties = entries.get("properties") ?? {};
  if (entries.get("type") === "object") {
    expect(entries.get("required"), place).toEqual(Object.keys(properties));
    expect(entries.get("additionalProperties"), place).toBe(false);
  }
  for (const [name, inner] of Object.entries(properties)) expectStrict(inner, `${place}.${name}`);
  expectStrict(entries.get("items"), `${place}[]`);
  const alternatives = entries.get("anyOf");
  if (Array.isArray(alternatives)) for (const inner of alternatives) expectStrict(inner, place);
}
