import { workflowDescriptorSchema } from "@uncaged/workflow-protocol/schemas";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { buildDescriptor, defineRole, defineWorkflow, END, START } from "./index.ts";

const coder = defineRole({
  description: "Codes one phase",
  systemPrompt: "You code.",
  schema: z.object({
    completedPhase: z.string().nullable().describe("hash of the phase"),
    files: z.array(z.string()).min(1),
    effort: z.number().int().optional(),
    kind: z.enum(["new", "fix"]),
  }),
  extractRefs: null,
});

const definition = defineWorkflow({
  description: "Codes until done",
  roles: { coder },
  table: {
    coder: [
      { condition: { name: "done", when: "last.meta.completedPhase" }, role: END },
      {
        condition: "FALLBACK",
        role: "coder",
        prompt: "Again: {{ last.meta.kind }}",
        location: "app",
      },
    ],
    [START]: [{ condition: "FALLBACK", role: "coder" }],
  },
});

describe("a descriptor", () => {
  it("keeps its exact bytes: it is stored beside the bundle and compared byte by byte", async () => {
    const text = `${JSON.stringify(buildDescriptor(definition), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot("./golden/descriptor.json");
  });

  it("can be read by the engine", () => {
    const descriptor = buildDescriptor(definition);
    expect(workflowDescriptorSchema.parse(JSON.parse(JSON.stringify(descriptor)))).toEqual(
      descriptor,
    );
  });

  it("is refused for a schema that JSON Schema cannot express, naming its place", () => {
    const schemas: z.ZodType<Record<string, unknown>>[] = [
      z.object({ at: z.date() }),
      z.object({ n: z.string().transform(Number) }),
    ];
    for (const unfit of schemas) {
      const role = defineRole({
        description: "",
        systemPrompt: "",
        schema: unfit,
        extractRefs: null,
      });
      const table = { [START]: [], role: [] };
      expect(() => buildDescriptor({ description: "", roles: { role }, table })).toThrow(
        expect.objectContaining({
          failure: expect.objectContaining({
            code: "DEFINITION_INVALID",
            message: expect.stringMatching(/^roles\.role\.schema: /u),
          }),
        }),
      );
    }
  });

  it("is refused for a broken table", () => {
    const broken = {
      ...definition,
      table: { ...definition.table, coder: [{ condition: { name: "x", when: "(" }, role: END }] },
    } as const;
    expect(() => buildDescriptor(broken)).toThrow("table.coder[0].when");
  });
});

describe("the result of a definition", () => {
  it("is in the descriptor", () => {
    const result = "byRole.coder.last.meta.files";
    const descriptor = buildDescriptor({ ...definition, result });
    expect(workflowDescriptorSchema.parse(descriptor)).toMatchObject({ result });
  });

  it("that is not an expression is refused, with its place", () => {
    expect(() => buildDescriptor({ ...definition, result: "last.(" })).toThrow(/^result: /);
  });
});
