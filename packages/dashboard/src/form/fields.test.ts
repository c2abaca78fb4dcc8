import type { JsonObject } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { collect, type Entered } from "./collect.ts";
import { fieldsOf } from "./fields.ts";

const controlsOf = (properties: JsonObject) =>
  Object.fromEntries(
    (fieldsOf({ properties }) ?? []).map(({ name, control }) => [name, control.kind]),
  );

test("each kind of field gets the control that people expect", () => {
  expect(
    controlsOf({
      a: { enum: ["x", "y"] },
      b: { type: "boolean" },
      c: { type: "integer" },
      d: { type: "string" },
      e: { type: "array", items: { type: "string" } },
      f: { type: "array", items: { enum: ["x", "y"] } },
      g: { type: "object", properties: { h: { type: "string" } } },
      i: { anyOf: [{ type: "string" }, { type: "null" }] },
      j: { oneOf: [{ const: 1 }, { const: 2 }] },
      k: { type: ["number", "null"] },
      l: { type: "array", items: { type: "object" } },
      m: {},
    }),
  ).toEqual({
    a: "choice",
    b: "yes-no",
    c: "number",
    d: "text",
    e: "lines",
    f: "several",
    g: "fields",
    i: "text",
    j: "choice",
    k: "number",
    l: "json",
    m: "json",
  });
  expect(fieldsOf({ type: "string" })).toBeNull();
});

const SCHEMA = {
  type: "object",
  required: ["approved", "reason", "count"],
  properties: {
    approved: { type: "boolean" },
    reason: { anyOf: [{ type: "string" }, { type: "null" }] },
    count: { type: "integer" },
    tags: { type: "array", items: { type: "string" } },
    level: { enum: [1, "one", null] },
    more: { type: "object", properties: { note: { type: "string" } }, required: ["note"] },
  },
};

function answer(entered: Entered) {
  return collect(fieldsOf(SCHEMA) ?? [], entered);
}

test("what was entered becomes values of the right types", () => {
  const entered = {
    approved: "no",
    count: "3",
    tags: "a\n\n b ",
    level: "1",
    more: { note: "x" },
  };
  expect(answer(entered)).toEqual({
    value: {
      approved: false,
      reason: null,
      count: 3,
      tags: ["a", "b"],
      level: 1,
      more: { note: "x" },
    },
    faults: {},
  });
});

test("all faults are said at once, each at its place", () => {
  expect(answer({ count: "3.5" }).faults).toEqual({
    approved: "this is needed",
    count: "this has to be a whole number",
    "more.note": "this is needed",
  });
});
