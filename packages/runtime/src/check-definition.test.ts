import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkDefinition } from "./check-definition.ts";
import { defineRole, END, START, SUSPEND, type Transition } from "./index.ts";

const role = defineRole({
  description: "",
  systemPrompt: "",
  schema: z.object({}),
  extractRefs: null,
});
const always = (to: string): Transition => ({ condition: "FALLBACK", role: to });

/** As plain JavaScript could pass it: with any names at all. */
const faultsOf = (
  roles: readonly string[],
  table: Record<string, readonly Transition[]>,
): string => {
  const entries = roles.map((name) => [name, role] as const);
  try {
    checkDefinition({
      description: "",
      roles: Object.fromEntries(entries),
      table: { [START]: [], ...table },
    });
    return "";
  } catch (thrown) {
    expect(thrown).toMatchObject({
      failure: { code: "RULE_INVALID", hint: expect.stringMatching(/./u) },
    });
    return thrown instanceof Error ? thrown.message : "";
  }
};

describe("a definition", () => {
  it("is accepted when every role has an entry and every target exists", () => {
    expect(
      faultsOf(["a", "b-c_1"], {
        [START]: [always("a")],
        a: [always("b-c_1"), always(SUSPEND)],
        "b-c_1": [always(END)],
      }),
    ).toBe("");
  });

  it("is refused for a target that is not a role", () => {
    expect(faultsOf(["a"], { a: [always("b")] })).toBe('table.a[0].role: there is no role "b"');
    expect(faultsOf(["a"], { a: [always("toString")] })).toBe(
      'table.a[0].role: there is no role "toString"',
    );
    expect(faultsOf(["a"], { a: [always(START)] })).toBe(
      'table.a[0].role: there is no role "__start__"',
    );
  });

  it("is refused for a missing or an extra entry", () => {
    expect(faultsOf(["a"], {})).toContain("table.a: the entry is missing");
    expect(faultsOf(["a"], { a: [], b: [] })).toBe(
      "table.b: there is no role or group of this name",
    );
  });

  it("is refused for a role's name that is invalid or has another meaning", () => {
    for (const name of ["", "1a", "a b", "a.b", "__start__", "é", "a".repeat(65)]) {
      expect(faultsOf([name], { [name]: [] })).toContain("a role's name is a letter");
    }
    for (const name of ["constructor", "toString", "prototype", "and", "true", "function"]) {
      expect(faultsOf([name], { [name]: [] })).toContain("means something else");
    }
  });

  it("is refused for a broken condition, prompt or location, naming each place", () => {
    const broken: Transition = {
      condition: { name: "", when: "$now() > 1" },
      role: END,
      prompt: "{{ nothing",
      location: "{{ 1 + }}",
    };
    const message = faultsOf(["coder"], { coder: [always("coder"), broken] });
    expect(message).toContain('table.coder[1].condition.name: "" is not a name');
    expect(message).toContain("table.coder[1].when: $now is not allowed");
    expect(message).toContain("table.coder[1].prompt: the placeholder at character 0");
    expect(message).toContain("table.coder[1].location: the placeholder at character 0");
  });

  it("is refused when it could wait for an answer before its first step", () => {
    expect(faultsOf([], { [START]: [always(SUSPEND)] })).toContain("table.__start__[0].role");
  });
});
