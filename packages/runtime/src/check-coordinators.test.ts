import type { Coordinates } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { z } from "zod";
import { checkDefinition } from "./check-definition.ts";
import { defineRole, END, START } from "./index.ts";

const always = { condition: "FALLBACK", role: END } as const;
const role = { description: "", systemPrompt: "", schema: z.object({}), extractRefs: null };

/** As plain JavaScript could pass it. */
function faultsOf(coordinates: object): string {
  const lead = defineRole({ ...role, coordinates: coordinates as Coordinates });
  try {
    checkDefinition({
      ...{ description: "", roles: { lead } },
      table: { [START]: [{ condition: "FALLBACK", role: "lead" }], lead: [always] },
    });
    return "";
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : "";
  }
}

it("a role may coordinate within sound bounds", () => {
  expect(faultsOf({ workflows: ["develop"] })).toBe("");
  expect(faultsOf({ workflows: ["a"], agents: ["b"], atOnce: 1, budgetShare: 1 })).toBe("");
});

it.each([
  [{}, "workflows: must be a list of names, at least one"],
  [{ workflows: ["a", ""] }, "workflows: must be a list of names, at least one"],
  [{ workflows: ["a"], agents: [] }, "agents: must be a list of names, at least one"],
  [{ workflows: ["a"], atOnce: 0 }, "atOnce: must be a whole number above 0"],
  [{ workflows: ["a"], timeoutMs: 0.5 }, "timeoutMs: must be a whole number above 0"],
  [{ workflows: ["a"], budgetShare: 0 }, "budgetShare: must be a number above 0, and at most 1"],
  [{ workflows: ["a"], many: 2 }, "many: is none of workflows, agents"],
])("%j is refused", (coordinates, fault) => {
  expect(faultsOf(coordinates)).toContain(`roles.lead.coordinates.${fault}`);
});
