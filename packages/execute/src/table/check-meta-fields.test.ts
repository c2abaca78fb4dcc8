import { type JsonObject, toJsonObject } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { z } from "zod";
import { checkMetaFields } from "./check-meta-fields.ts";

const placesOf = (schema: z.ZodType): string[] => placesIn(toJsonObject(z.toJSONSchema(schema)));

function placesIn(schema: JsonObject | null): string[] {
  if (schema === null) throw new Error("no schema");
  const roles = { coder: { description: "", systemPrompt: "", schema } };
  return checkMetaFields({ roles }).map(({ code, level, place }) => `${level} ${code} ${place}`);
}

it("warns of a field that thread context never shows", () => {
  const fields = { type: z.string(), role: z.string(), content: z.string(), kind: z.string() };
  expect(placesOf(z.object(fields))).toEqual([
    "warning META_FIELD_HIDDEN roles.coder.schema.type",
    "warning META_FIELD_HIDDEN roles.coder.schema.role",
    "warning META_FIELD_HIDDEN roles.coder.schema.content",
  ]);
});

it("finds it in every alternative and behind a reference, but not further down", () => {
  const yes = z.object({ status: z.literal("yes"), type: z.string() });
  const no = z.object({ status: z.literal("no"), why: z.object({ content: z.string() }) });
  expect(placesOf(z.discriminatedUnion("status", [yes, no]))).toHaveLength(1);
  const properties = { role: {}, next: { $ref: "#" } };
  const $defs = { "a/b": { type: "object", properties } };
  expect(placesIn({ $ref: "#/$defs/a~1b", $defs })).toHaveLength(1);
  expect(placesIn({ $ref: "#", anyOf: [{ $ref: "#" }, true] })).toEqual([]);
});
