import {
  type AdapterFn,
  AgentError,
  type RoleRules,
  type StepScope,
} from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { demandHeld } from "./demand-held.ts";

const step = (rules: RoleRules | undefined): StepScope => ({
  ...{ role: "reviewer", round: 1, route: null, location: null, previousSession: null },
  ...{ agent: null, cwd: "/", processTag: "T:1", home: "/home", rules },
});
const handmade: AdapterFn = () => async () => {
  throw new Error("it is not run");
};
const held: AdapterFn = Object.assign(handmade.bind(null), { holdsPolicy: true } as const);

function refusal(adapter: AdapterFn, rules: RoleRules | undefined): unknown {
  try {
    demandHeld(adapter, step(rules));
    return null;
  } catch (thrown) {
    return thrown;
  }
}

describe("an adapter that does not declare that it enforces a policy", () => {
  it.each<[string, RoleRules]>([
    ["denies something", { tools: { deny: [{ kind: "edit" }] } }],
    ["allows nothing", { tools: { allow: [] } }],
  ])("is refused for a role that %s, with a hint", (_name, rules) => {
    const thrown = refusal(handmade, rules);
    expect(thrown).toBeInstanceOf(AgentError);
    expect(thrown).toMatchObject({
      outcome: "crashed",
      failure: {
        code: "AGENT_FAILED",
        message: expect.stringContaining("role reviewer has `tools`"),
        hint: expect.stringContaining("createAgent"),
      },
    });
  });

  it("runs a role without one, because the engine can check its evidence afterwards", () => {
    expect(refusal(handmade, undefined)).toBeNull();
    expect(refusal(handmade, { requiredEvidence: [{ name: "t", kind: "execute" }] })).toBeNull();
  });
});

it("an adapter that declares it runs a role with a policy", () => {
  expect(refusal(held, { tools: { deny: [{ kind: "edit" }] } })).toBeNull();
});
