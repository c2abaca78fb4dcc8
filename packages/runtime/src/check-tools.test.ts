import type { RoleRules } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkDefinition } from "./check-definition.ts";
import { defineRole, START } from "./index.ts";

/** As plain JavaScript could pass it: with any words at all. */
function faultOf(rules: object): string {
  const parsed: RoleRules = JSON.parse(JSON.stringify(rules));
  const role = defineRole({
    description: "",
    systemPrompt: "",
    schema: z.object({}),
    extractRefs: null,
    ...parsed,
  });
  try {
    checkDefinition({ description: "", roles: { a: role }, table: { [START]: [], a: [] } });
    return "";
  } catch (thrown) {
    expect(thrown).toMatchObject({ failure: { code: "RULE_INVALID" } });
    return thrown instanceof Error ? thrown.message : "";
  }
}

const tests = { name: "tests", kind: "execute", input: "npm test", after: "last_edit" };

describe("a role's tools and required evidence", () => {
  it("are accepted when each rule names a tool and each pattern can be matched", () => {
    expect(
      faultOf({
        tools: {
          allow: [{ kind: "read" }, { name: "mcp__*", input: "^/tmp/" }],
          deny: [{ kind: "execute", input: "git push" }],
          network: false,
        },
        requiredEvidence: [tests],
      }),
    ).toBe("");
  });

  it.each([
    [
      "a rule that names no tool",
      { tools: { deny: [{ input: "x" }] } },
      "roles.a.tools.deny[0]: says neither",
    ],
    [
      "an unknown kind",
      { tools: { allow: [{ kind: "write" }] } },
      'roles.a.tools.allow[0].kind: "write" is none of',
    ],
    [
      "a network that is no truth value",
      { tools: { network: "none" } },
      "roles.a.tools.network: must be true or false",
    ],
    ["an empty name", { tools: { deny: [{ name: "" }] } }, "roles.a.tools.deny[0].name: is empty"],
    [
      "a broken pattern",
      { tools: { deny: [{ kind: "edit" }, { kind: "edit", input: "(" }] } },
      "roles.a.tools.deny[1].input: /(/ is not a regular expression",
    ],
    [
      "a variable that the check decides",
      { requiredEvidence: [{ check: { command: ["npm", "test"], variables: { PATH: "." } } }] },
      "roles.a.requiredEvidence[0].check.variables.PATH: cannot be set",
    ],
    [
      "an approver of its own changes",
      { requiredEvidence: [{ check: { command: ["npm", "test"], approver: ["a"] } }] },
      "roles.a.requiredEvidence[0].check.approver[0]: a role cannot approve",
    ],
    [
      "an approver that is no role",
      { requiredEvidence: [{ check: { command: ["npm", "test"], approver: ["ada"] } }] },
      'roles.a.requiredEvidence[0].check.approver[0]: "ada" is no role',
    ],
    [
      "a requirement with look-ahead",
      { requiredEvidence: [{ ...tests, input: "(?=a)" }] },
      "roles.a.requiredEvidence[0].input: /(?=a)/ is no",
    ],
    [
      "a requirement that every call meets",
      { requiredEvidence: [{ ...tests, input: "" }] },
      "roles.a.requiredEvidence[0].input: an empty pattern",
    ],
    [
      "a requirement without a name",
      { requiredEvidence: [{ ...tests, name: "" }] },
      "roles.a.requiredEvidence[0].name: is empty",
    ],
    [
      "another `after`",
      { requiredEvidence: [{ ...tests, after: "lunch" }] },
      'roles.a.requiredEvidence[0].after: "lunch"',
    ],
    [
      "a check without a command",
      { requiredEvidence: [{ check: { command: [] } }] },
      "roles.a.requiredEvidence[0].check.command: must be the words",
    ],
    [
      "a setup of no words",
      { requiredEvidence: [{ check: { command: ["npm", "test"], setup: [] } }] },
      "roles.a.requiredEvidence[0].check.setup: must be the words",
    ],
    [
      "a check without time",
      { requiredEvidence: [{ check: { command: ["npm", "test"], timeoutMs: 0 } }] },
      "roles.a.requiredEvidence[0].check.timeoutMs: must be",
    ],
    [
      "a canary outside of the repository",
      { requiredEvidence: [{ check: { command: ["x"], canary: { path: "../x", content: "" } } }] },
      "roles.a.requiredEvidence[0].check.canary.path: must be",
    ],
    [
      "an unknown runner",
      { requiredEvidence: [{ check: { command: ["x"], canary: "ava" } }] },
      'roles.a.requiredEvidence[0].check.canary: "ava" is none of',
    ],
  ])("are refused for %s", (_name, rules, fault) => {
    expect(faultOf(rules)).toContain(fault);
  });
});
