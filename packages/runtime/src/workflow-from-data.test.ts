import { END, FALLBACK, START, type WorkflowData } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { workflowFromData } from "./workflow-from-data.ts";

const data: WorkflowData = {
  description: "One word",
  agents: { default: null, roles: { writer: "claude" } },
  roles: {
    writer: {
      description: "Writes a word",
      systemPrompt: "You are the writer.",
      schema: {
        type: "object",
        properties: { status: { enum: ["done", "stuck"] }, word: { type: "string" } },
        required: ["status"],
        additionalProperties: false,
      },
      timeoutMs: 1_000,
    },
  },
  table: {
    [START]: [{ condition: FALLBACK, role: "writer" }],
    writer: [{ condition: FALLBACK, role: END }],
  },
  limits: { steps: 3 },
};

describe("a workflow made of data", () => {
  it("is described as one that is written in code", () => {
    const { run, descriptor } = workflowFromData(data);
    expect(run).toBeTypeOf("function");
    expect(descriptor).toEqual({
      description: "One word",
      roles: {
        writer: {
          description: "Writes a word",
          systemPrompt: "You are the writer.",
          schema: {
            $schema: "https://json-schema.org/draft/2020-12/schema",
            type: "object",
            properties: {
              status: { type: "string", enum: ["done", "stuck"] },
              word: { type: "string" },
            },
            required: ["status"],
            additionalProperties: false,
          },
          timeoutMs: 1_000,
        },
      },
      graph: {
        edges: [
          {
            from: START,
            to: "writer",
            condition: FALLBACK,
            when: null,
            prompt: null,
            location: null,
          },
          {
            from: "writer",
            to: END,
            condition: FALLBACK,
            when: null,
            prompt: null,
            location: null,
          },
        ],
      },
      limits: { steps: 3 },
    });
  });

  it.each([
    [{ type: "string" }, 'its "type" must be "object"'],
    [{ type: "object", if: {} }, "not supported"],
    [{ type: "object", properties: { a: { type: "strng" } } }, "strng"],
  ])("is refused with the schema %j, which cannot be checked", (schema, message) => {
    const { writer } = data.roles;
    if (writer === undefined) throw new Error("no writer");
    const broken = { ...data, roles: { writer: { ...writer, schema } } };
    expect(() => workflowFromData(broken)).toThrow(message);
    expect(() => workflowFromData(broken)).toThrow("roles.writer.schema");
  });
});
