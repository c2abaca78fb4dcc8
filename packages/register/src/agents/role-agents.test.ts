import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { UNCHECKED } from "../scratch.test.helper.ts";
import { agentsInBundle } from "../yaml/agents-in-bundle.ts";
import { compileYaml } from "../yaml/compile-yaml.ts";
import { roleAgents } from "./role-agents.ts";

const roles = ["writer", "reviewer", "constructor"];
const settings = {
  bindings: new Map([["greet", new Map([["writer", "codex"]])]]),
  defaultAgent: "claude",
};

it("names the agent of each role here: from the binding, the workflow, or the default", () => {
  const named = { default: null, roles: { writer: "practice", reviewer: "practice" } };
  expect([...roleAgents({ name: "greet", roles, named }, settings)]).toEqual([
    ["writer", { agent: "codex", by: "bindings" }],
    ["reviewer", { agent: "practice", by: "workflow" }],
    ["constructor", { agent: "claude", by: "default" }],
  ]);
  const players = roleAgents({ name: "other", roles, named: null }, settings);
  for (const role of roles) expect(players.get(role)).toEqual({ agent: null, by: "workflow" });
});

it("reads the agents named by a bundle made from YAML, and none from code", () => {
  const text = readFileSync(new URL("../yaml/golden/greeting.yaml", import.meta.url), "utf8");
  const compiled = compileYaml(text, { place: "flow.yaml", checks: UNCHECKED });
  if (!compiled.ok) throw new Error(compiled.error.message);
  expect(compiled.value.agents).toEqual({ default: "claude", roles: { reviewer: "codex" } });
  expect(agentsInBundle(Buffer.from(compiled.value.code))).toEqual(compiled.value.agents);
  expect(agentsInBundle(Buffer.from('import { x } from "y";\nexport const run = 1;\n'))).toBeNull();
});
