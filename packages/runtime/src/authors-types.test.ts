/** What the compiler checks for an author; `tsc` fails when one of the expected errors disappears. */
import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  type AdapterBinding,
  type AdapterFn,
  createWorkflow,
  defineRole,
  defineWorkflow,
  END,
  type RoleStep,
  START,
  SUSPEND,
  type ThreadContext,
  type WorkflowDefinition,
} from "./index.ts";

type Metas = { planner: { phases: string[] }; coder: { done: boolean } };

const planner = defineRole({
  description: "",
  systemPrompt: "",
  schema: z.object({ phases: z.array(z.string()) }),
  extractRefs: (meta) => {
    expectTypeOf(meta).toEqualTypeOf<{ phases: string[] }>();
    return meta.phases;
  },
});
const coder = defineRole({
  description: "",
  systemPrompt: "",
  schema: z.object({ done: z.boolean() }),
  extractRefs: null,
});
const roles = { planner, coder };
const adapter: AdapterFn = () => () => Promise.reject(new Error("not here"));

describe("an author's types", () => {
  it("are inferred from the schemas, without a type argument", () => {
    const definition = defineWorkflow({
      description: "",
      roles,
      table: {
        [START]: [{ condition: "FALLBACK", role: "planner" }],
        planner: [
          { condition: { name: "any", when: "true" }, role: "coder", prompt: "p", location: "l" },
        ],
        coder: [{ condition: "FALLBACK", role: SUSPEND }],
      },
    });
    expectTypeOf(definition).toEqualTypeOf<WorkflowDefinition<Metas>>();
    createWorkflow(definition, { adapter, overrides: { coder: adapter } });
    expect(() =>
      // @ts-expect-error there is no role of this name
      createWorkflow(definition, { adapter, overrides: { codr: adapter } }),
    ).toThrow("binding.overrides.codr: there is no role of this name");
  });

  it("accept a binding that is declared before it is used", () => {
    const definition = defineWorkflow({
      description: "",
      roles,
      table: { [START]: [{ condition: "FALLBACK", role: "planner" }], planner: [], coder: [] },
    });
    const plain: AdapterBinding = { adapter, overrides: null };
    createWorkflow(definition, plain);
    const overriding: AdapterBinding = { adapter, overrides: { coder: adapter } };
    createWorkflow(definition, overriding);
    const inferred = { adapter, overrides: { coder: adapter } };
    createWorkflow(definition, inferred);
    const exact: AdapterBinding<Metas> = { adapter, overrides: { coder: adapter } };
    createWorkflow(definition, exact);
    // @ts-expect-error there is no role of this name
    const wrong: AdapterBinding<Metas> = { adapter, overrides: { codr: adapter } };
    expect(() => createWorkflow(definition, wrong)).toThrow(
      "binding.overrides.codr: there is no role of this name",
    );
    const misspelt = { adapter, overrides: { codr: adapter } };
    // @ts-expect-error none of its overrides is a role
    expect(() => createWorkflow(definition, misspelt)).toThrow("binding.overrides.codr");
    const unchecked: AdapterBinding = misspelt;
    expect(() => createWorkflow(definition, unchecked)).toThrow("binding.overrides.codr");
  });

  it("are inferred for a role written inline, its references included", () => {
    const definition = defineWorkflow({
      description: "",
      roles: {
        writer: {
          description: "",
          systemPrompt: "",
          schema: z.object({ file: z.string() }),
          extractRefs: (meta) => [meta.file],
        },
      },
      table: { [START]: [{ condition: "FALLBACK", role: "writer" }], writer: [] },
    });
    expectTypeOf(definition).toEqualTypeOf<WorkflowDefinition<{ writer: { file: string } }>>();
  });

  it("know which names a table may use", () => {
    defineWorkflow({
      description: "",
      roles,
      // @ts-expect-error there is no role of this name
      table: { [START]: [{ condition: "FALLBACK", role: "planer" }], planner: [], coder: [] },
    });
    const table = { [START]: [], planner: [] };
    // @ts-expect-error the entry of coder is missing
    defineWorkflow({ description: "", roles, table });
    // It may be the entry of a group, for all the compiler knows.
    const strange = defineWorkflow({
      description: "",
      roles,
      table: { ...table, coder: [], tester: [] },
    });
    expect(() => createWorkflow(strange, { adapter, overrides: null })).toThrow(
      "table.tester: there is no role or group of this name",
    );
    defineWorkflow({
      description: "",
      roles,
      // @ts-expect-error a condition has a name
      table: { [START]: [{ condition: { when: "true" }, role: END }], planner: [], coder: [] },
    });
  });

  it("know the groups that rules lead to", () => {
    const definition = defineWorkflow({
      description: "",
      roles,
      table: {
        [START]: [{ condition: "FALLBACK", role: "planner" }],
        planner: [
          {
            condition: "FALLBACK",
            group: { name: "parts", each: "last.meta.phases", role: "coder", prompt: "{{ item }}" },
          },
        ],
        coder: [],
        parts: [{ condition: "FALLBACK", role: END }],
      },
    });
    expectTypeOf(definition).toEqualTypeOf<WorkflowDefinition<Metas>>();
    createWorkflow(definition, { adapter, overrides: { coder: adapter } });
    const table = { [START]: [], planner: [], coder: [] };
    defineWorkflow({
      description: "",
      roles,
      table: {
        ...table,
        parts: [],
        planner: [
          {
            condition: "FALLBACK",
            // @ts-expect-error there is no role of this name
            group: { name: "parts", each: "last.meta.phases", role: "codr" },
          },
        ],
      },
    });
  });

  it("check what a role extracts and what its schema returns", () => {
    defineRole({
      description: "",
      systemPrompt: "",
      schema: z.object({ n: z.number() }),
      // @ts-expect-error there is no such field
      extractRefs: (meta) => [meta.missing],
    });
    defineRole({
      description: "",
      systemPrompt: "",
      // @ts-expect-error a meta is an object
      schema: z.string(),
      extractRefs: null,
    });
  });

  it("narrow a step's meta by its role", () => {
    const metaOf = (step: RoleStep<Metas>): boolean => {
      if (step.role === "coder") return step.meta.done;
      expectTypeOf(step.meta).toEqualTypeOf<{ phases: string[] }>();
      // @ts-expect-error a planner is never done
      return step.meta.done;
    };
    expectTypeOf(metaOf).parameter(0).toEqualTypeOf<ThreadContext<Metas>["steps"][number]>();
  });
});
