import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { UNCHECKED } from "../scratch.test.helper.ts";
import { agentsInBundle } from "../yaml/agents-in-bundle.ts";
import { compileYaml } from "../yaml/compile-yaml.ts";
import { playersOf } from "./players.ts";

const roles = ["writer", "reviewer", "constructor"];
const settings = {
  bindings: new Map([["greet", new Map([["writer", "codex"]])]]),
  defaultAgent: "claude",
};

it("names for each role who plays it here: by the binding, by the workflow, by default", () => {
  const named = { default: null, roles: { writer: "practice", reviewer: "practice" } };
  expect([...playersOf({ name: "greet", roles, named }, settings)]).toEqual([
    ["writer", { agent: "codex", by: "bindings" }],
    ["reviewer", { agent: "practice", by: "workflow" }],
    ["constructor", { agent: "claude", by: "default" }],
  ]);
  const players = playersOf({ name: "other", roles, named: null }, settings);
  for (const role of roles) expect(players.get(role)).toEqual({ agent: null, by: "workflow" });
});

it("reads from a bundle made of YAML whom it names, and from code nothing", () => {
  const text = readFileSync(new URL("../yaml/golden/greeting.yaml", import.meta.url), "utf8");
  const compiled = compileYaml(text, { place: "flow.yaml", checks: UNCHECKED });
  if (!compiled.ok) throw new Error(compiled.error.message);
  expect(compiled.value.agents).toEqual({ default: "claude", roles: { reviewer: "codex" } });
  expect(agentsInBundle(Buffer.from(compiled.value.code))).toEqual(compiled.value.agents);
  expect(agentsInBundle(Buffer.from('import { x } from "y";\nexport const run = 1;\n'))).toBeNull();
});
