import { withLinearPatterns } from "@uncaged/workflow-moderator";
import {
  END,
  FALLBACK,
  type JsonObject,
  START,
  type WorkflowData,
} from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
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
  it("has the same descriptor as one written in code", () => {
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

describe("a pattern in a schema that is data", () => {
  const withSchema = (schema: JsonObject): WorkflowData => {
    const { writer } = data.roles;
    if (writer === undefined) throw new Error("the writer is missing");
    return { ...data, roles: { writer: { ...writer, schema } } };
  };
  const unlucky = `${"a".repeat(50_000)}!`;
  const pattern = "^(a+)+$";

  it.each<[string, JsonObject, unknown]>([
    ["of a field", { properties: { a: { type: "string", pattern } } }, { a: unlucky }],
    [
      "of an item",
      { properties: { a: { type: "array", items: { type: "string", pattern } } } },
      { a: [unlucky] },
    ],
    [
      "of a choice",
      { properties: { a: { anyOf: [{ type: "string", pattern }, { type: "null" }] } } },
      { a: unlucky },
    ],
    [
      "of a definition",
      { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "string", pattern } } },
      { a: unlucky },
    ],
  ])("%s is matched in linear time", (_where, schema, meta) => {
    const role = workflowFromData(withSchema({ type: "object", ...schema })).descriptor.roles
      .writer;
    expect(JSON.stringify(role?.schema)).toContain(JSON.stringify(pattern));
    const checked = withLinearPatterns({ type: "object", ...schema }, "refuse", () =>
      z.fromJSONSchema({ type: "object", ...schema }),
    );
    expect(checked.safeParse(meta).success).toBe(false);
    expect(checked.safeParse(JSON.parse(JSON.stringify(meta).replace("!", ""))).success).toBe(true);
  });

  it("that a linear engine cannot match is refused", () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "(a)\\1" } } };
    expect(() => workflowFromData(withSchema(schema))).toThrow(
      /roles\.writer\.schema: .*linear time/u,
    );
  });

  it("leaves everyone else's regular expressions alone", () => {
    workflowFromData(
      withSchema({ type: "object", properties: { a: { type: "string", pattern } } }),
    );
    expect(/(a)\1/.test("aa")).toBe(true);
    expect(new RegExp(pattern).constructor).toBe(RegExp);
  });
});
