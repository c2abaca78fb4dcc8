import { buildDescriptor, END, START } from "@uncaged/workflow-runtime";
import { describe, expect, expectTypeOf, it } from "vitest";
import { solveIssueWorkflowDefinition } from "./definition.ts";
import type { DeveloperMeta, PreparerMeta, SolveIssueMeta, SubmitterMeta } from "./index.ts";

describe("the definition of solve-issue", () => {
  it("has exactly these roles and edges", () => {
    const { roles, graph } = buildDescriptor(solveIssueWorkflowDefinition);
    expect(Object.keys(roles)).toEqual(["preparer", "developer", "submitter"]);
    expect(graph.edges.map(({ from, condition, to }) => [from, condition, to])).toEqual([
      [START, "FALLBACK", "preparer"],
      ["preparer", "blocked", END],
      ["preparer", "FALLBACK", "developer"],
      ["developer", "failed", END],
      ["developer", "FALLBACK", "submitter"],
      ["submitter", "FALLBACK", END],
    ]);
  });

  it("describes every result by a schema that agents' structured-output modes accept", () => {
    for (const [role, { schema }] of Object.entries(
      buildDescriptor(solveIssueWorkflowDefinition).roles,
    )) {
      expect(schema, role).toMatchObject({ type: "object" });
      expectStrict(schema, role);
    }
  });

  it("explains every field of a result in the role's prompt", () => {
    for (const [role, { schema, systemPrompt }] of Object.entries(
      buildDescriptor(solveIssueWorkflowDefinition).roles,
    )) {
      const answer = systemPrompt.slice(systemPrompt.indexOf("## Answer"));
      for (const field of Object.keys(schema.properties ?? {})) {
        expect(answer, `${role}.${field}`).toMatch(new RegExp(`^- .*\\b${field}\\b.*:`, "mu"));
      }
    }
  });

  it("infers the metas from the schemas", () => {
    expectTypeOf<DeveloperMeta>().toEqualTypeOf<{
      status: "done" | "failed";
      childThread: string | null;
      commit: string | null;
      summary: string;
      reason: string | null;
    }>();
    expectTypeOf<PreparerMeta["status"]>().toEqualTypeOf<"ready" | "blocked">();
    expectTypeOf<SubmitterMeta>().toEqualTypeOf<{ url: string | null; reason: string | null }>();
    expectTypeOf<keyof SolveIssueMeta>().toEqualTypeOf<"preparer" | "developer" | "submitter">();
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
