import { toJsonObject } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { strictSchema } from "./strict-schema.ts";

function strict(schema: z.ZodType) {
  return strictSchema(toJsonObject(z.toJSONSchema(schema)) ?? {});
}

describe("strictSchema", () => {
  it("passes on a closed schema of required properties, without its dialect", () => {
    const schema = z.object({
      status: z.enum(["passed", "failed"]),
      failure: z.string().nullable(),
      commands: z.array(z.object({ command: z.string(), exitCode: z.number() })),
    });
    const found = strict(schema);
    expect(found).toMatchObject({ type: "object", additionalProperties: false });
    expect(found).not.toHaveProperty("$schema");
  });

  it.each<[string, z.ZodType]>([
    ["a property that may be left out", z.object({ a: z.string().optional() })],
    ["one deep inside", z.object({ a: z.array(z.object({ b: z.string().optional() })) })],
    ["an open object", z.object({ a: z.looseObject({}) })],
    ["free keys", z.object({ a: z.record(z.string(), z.string()) })],
    ["a pattern", z.object({ a: z.string().regex(/^a+$/) })],
    ["anything at all", z.object({ a: z.unknown() })],
    ["a union at the top", z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])],
    ["no object", z.string()],
  ])("passes on nothing for %s", (_name, schema) => {
    expect(strict(schema)).toBeNull();
  });
});
