import { expect, it } from "vitest";
import { UNCHECKED } from "../scratch.test.helper.ts";
import { compileYaml } from "./compile-yaml.ts";

const flow = (coordinates: string): string => `description: one
roles:
  lead:
    goal: divide
    output: { type: object, properties: { status: { enum: [done] } }, required: [status] }
    coordinates: ${coordinates}
graph:
  $START: { new: lead }
  lead: { done: $END }
`;

function compiled(coordinates: string) {
  return compileYaml(flow(coordinates), { place: "flow.yaml", checks: UNCHECKED });
}

it("a role that coordinates says what its workers run, and within which bounds", () => {
  const result = compiled(
    "{ workflows: [develop, review], agents: [claude], atOnce: 2, max: 5, budgetShare: 0.5, timeoutMs: 60000 }",
  );
  if (!result.ok) throw new Error(result.error.message);
  const [, json = ""] = /JSON\.parse\(("[\s\S]*")\)\);/.exec(result.value.code) ?? [];
  expect(JSON.parse(JSON.parse(json)).roles.lead.coordinates).toEqual({
    ...{ workflows: ["develop", "review"], agents: ["claude"] },
    ...{ atOnce: 2, max: 5, budgetShare: 0.5, timeoutMs: 60_000 },
  });
});

it.each([
  ["{ atOnce: 2 }", "workflows"],
  ["{ workflows: [] }", "must name at least one"],
  ["{ workflows: [develop], agents: [] }", "must name at least one"],
  ["{ workflows: [develop], atOnce: 0 }", "atOnce"],
  ["{ workflows: [develop], max: 1.5 }", "max"],
  ["{ workflows: [develop], budgetShare: 1.5 }", "must be at most 1"],
  ["{ workflows: [develop], timeoutMs: soon }", "timeoutMs"],
  ["{ workflows: [develop], workers: 3 }", "workers"],
])("%s is a fault", (coordinates, fault) => {
  const result = compiled(coordinates);
  expect(result.ok ? "none" : result.error.message).toContain(fault);
});
