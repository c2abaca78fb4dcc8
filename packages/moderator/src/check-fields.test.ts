import type { JsonObject, JsonValue, ModeratorStep } from "@uncaged/workflow-protocol";
import { START } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkFields, type FieldFinding } from "./check-fields.ts";
import { parseExpression } from "./expression.ts";
import { visible } from "./projection.ts";

const CLOSED = { additionalProperties: false };
const ROLES = {
  coder: {
    type: "object",
    properties: {
      status: { enum: ["done", "stuck"] },
      files: {
        type: "array",
        items: { type: "object", properties: { path: { type: "string" } }, ...CLOSED },
      },
      tree: { $ref: "#/$defs/Tree" },
      scores: { type: "object", additionalProperties: { type: "number" } },
      anything: {},
    },
    $defs: {
      Tree: {
        type: "object",
        properties: { name: { type: "string" }, parent: { $ref: "#/$defs/Tree" } },
        ...CLOSED,
      },
    },
    ...CLOSED,
  },
  reviewer: {
    oneOf: [
      {
        type: "object",
        properties: { verdict: { const: "no" }, reason: { type: "string" } },
        ...CLOSED,
      },
      { type: "object", properties: { verdict: { const: "yes" } }, ...CLOSED },
    ],
  },
};

function found(text: string, last: string | null = null): FieldFinding[] {
  return checkFields({ text, kind: "expression", roles: ROLES, last });
}

function faults(text: string, last: string | null = null): string[] {
  return found(text, last).map(({ level, of, field }) => `${level} ${of}.${field}`);
}

test.each([
  ["last.meta.statsu = 'done'", "coder", ["fault last.meta.statsu"]],
  ["last.meta.verdict", "coder", ["fault last.meta.verdict"]],
  ["last.meta.verdict", null, []],
  ["byRole.coder.last.meta.statsu", null, ["fault byRole.coder.last.meta.statsu"]],
  ["byRole.codr.count", null, ["fault byRole.codr"]],
  ["byRole.coder.counts", null, ["fault byRole.coder.counts"]],
  ["steps[role='coder'].meta.verdict", null, ["fault steps.meta.verdict"]],
  ["steps['coder' = role and meta.verdict].meta.verdict", null, ["fault steps.meta.verdict"]],
  ["steps[role in ['coder', 'reviewer']].meta.verdict", null, []],
  ["steps[role='coder' or true].meta.verdict", null, []],
  ["steps[meta.statsu='done']", null, ["fault steps.meta.statsu"]],
  ["$count(steps[role='coder'].meta.files.paht)", null, ["fault steps.meta.files.paht"]],
  ["last.meta.files[0].path", "coder", []],
  ["last.meta.tree.parent.parent.nam", "coder", ["fault last.meta.tree.parent.parent.nam"]],
  ["last.meta.status.length", "coder", ["fault last.meta.status.length"]],
  ["last.meta.scores.speed", "coder", ["warning last.meta.scores.speed"]],
  [
    "last.meta.scores.speed.x",
    "coder",
    ["warning last.meta.scores.speed", "fault last.meta.scores.speed.x"],
  ],
  ["last.meta.anything.goes", "coder", []],
  ["last.meta.reason", "reviewer", []],
  ["last.meta.reson", "reviewer", ["fault last.meta.reson"]],
  ["lst.meta", null, ["fault .lst"]],
  ["start.prompt", null, ["fault start.prompt"]],
  ["byRole.coder.tally.status.done > 2", null, []],
  ["byRole.coder.tally.statsu.done > 2", null, ["fault byRole.coder.tally.statsu"]],
  ["($m := last.meta; $m.statsu)", "coder", ["fault last.meta.statsu"]],
  ["($m := last.meta; $m := start; $m.statsu)", "coder", []],
  ["$map(steps, function($s) { $s.meta.whatever })", null, []],
  ["$map(steps, function($s) { last.meta.statsu })", "coder", ["fault last.meta.statsu"]],
  ["last.meta.(statsu ? 1 : 2)", "coder", ["fault last.meta.statsu"]],
  ["steps^(meta.statsu).role", null, ["fault steps.meta.statsu"]],
  ["steps{role: meta.statsu}", null, ["fault steps.meta.statsu"]],
  ["steps@$s.last.meta.status", null, []],
  ["last.meta.statsu ?: 1", "coder", ["fault last.meta.statsu"]],
  ["last.*.anything", "coder", []],
  ["steps.meta.(%.role)", null, []],
  ["$$.last.meta.`statsu`", "coder", ["fault last.meta.statsu"]],
  ["last.meta.outcome", "coder", []],
])("%s (last: %s) is said to have %j", (text, last, expected) => {
  expect(faults(text, last)).toEqual(expected);
});

test("a finding says where the name begins and what there is", () => {
  const text = "$exists(last.meta.statsu)";
  const [finding] = found(text, "coder");
  expect(finding?.at).toBe(text.indexOf("statsu"));
  expect(finding?.known).toContain("status");
});

test("a finding in a template points into the template", () => {
  const text = "It is {{ last.role }} with {{last.meta.statsu}}.";
  const findings = checkFields({ text, kind: "template", roles: ROLES, last: "coder" });
  expect(findings.map(({ at }) => at)).toEqual([text.indexOf("statsu")]);
});

test("schemas that lead in circles or multiply come to an end and are no fault", () => {
  const ring = { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } };
  const $defs: { [name: string]: JsonObject } = {};
  for (let at = 0; at < 60; at += 1) {
    const next = { $ref: `#/$defs/L${at + 1}` };
    $defs[`L${at}`] = { anyOf: [next, next, next] };
  }
  const wide = { $ref: "#/$defs/L0", $defs };
  for (const schema of [ring, wide]) {
    const roles = { r: schema };
    expect(checkFields({ text: "last.meta.x", kind: "expression", roles, last: "r" })).toEqual([]);
  }
});

/** A schema, and a value that it allows. */
type Sample = { schema: JsonValue; value: JsonValue };
const NAMES = ["a", "b", "c", "status", "role"] as const;
const name = fc.constantFrom(...NAMES);

const { sample } = fc.letrec<{ sample: Sample }>((tie) => {
  const leaf: fc.Arbitrary<Sample> = fc.oneof(
    fc.string({ maxLength: 3 }).map((value) => ({ schema: { type: "string" }, value })),
    fc.integer().map((value) => ({ schema: { type: ["number", "null"] }, value })),
    fc.constantFrom<Sample>(
      { schema: {}, value: { a: 1, b: [{ c: 2 }] } },
      {
        schema: { enum: ["x", { a: { b: 1 } }] },
        value: { a: { b: 1 } },
      },
    ),
  );
  const object = fc
    .record({
      fields: fc.dictionary(name, tie("sample"), { maxKeys: 3 }),
      extra: fc.dictionary(name, tie("sample"), { maxKeys: 2 }),
      open: fc.constantFrom("closed", "open", "record", "pattern"),
      typed: fc.boolean(),
    })
    .map(({ fields, extra, open, typed }): Sample => {
      const schemas = Object.fromEntries(Object.entries(fields).map(([k, v]) => [k, v.schema]));
      const values = Object.fromEntries(Object.entries(fields).map(([k, v]) => [k, v.value]));
      const more = Object.fromEntries(Object.entries(extra).map(([k, v]) => [k, v.value]));
      const type = typed ? { type: "object" } : {};
      const properties = { ...type, properties: schemas };
      if (open === "closed") {
        return { schema: { ...properties, additionalProperties: false }, value: values };
      }
      if (open === "pattern") {
        const patternProperties = { ".": {} };
        const schema = { ...properties, patternProperties, additionalProperties: false };
        return { schema, value: { ...more, ...values } };
      }
      if (open === "open") return { schema: properties, value: { ...more, ...values } };
      const anyOf = Object.values(extra).map(({ schema }) => schema);
      const additionalProperties = anyOf.length === 0 ? false : { anyOf };
      return { schema: { ...properties, additionalProperties }, value: { ...more, ...values } };
    });
  const list = fc.array(tie("sample"), { maxLength: 3 }).map((items): Sample => {
    const value = items.map((item) => item.value);
    if (items.length === 0) return { schema: { type: "array" }, value };
    return {
      schema: { type: "array", items: { anyOf: items.map(({ schema }) => schema) } },
      value,
    };
  });
  const union = fc
    .record({ one: tie("sample"), other: tie("sample"), key: fc.constantFrom("anyOf", "oneOf") })
    .map(
      ({ one, other, key }): Sample => ({
        schema: { [key]: [other.schema, one.schema] },
        value: one.value,
      }),
    );
  const referred = tie("sample").map(
    ({ schema, value }): Sample => ({
      schema: { allOf: [{}, schema] },
      value,
    }),
  );
  return { sample: fc.oneof({ maxDepth: 4 }, leaf, object, list, union, referred) };
});

const metaSample = fc
  .dictionary(name, sample, { minKeys: 1, maxKeys: 4 })
  .map((fields): { schema: JsonObject; value: JsonObject } => {
    const entries = Object.entries(fields);
    const $defs = Object.fromEntries(entries.map(([key, { schema }]) => [`D${key}`, schema]));
    const properties = Object.fromEntries(
      entries.map(([key]) => [key, { $ref: `#/$defs/D${key}` }]),
    );
    return {
      schema: { type: "object", properties, additionalProperties: false, $defs },
      value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
    };
  });

const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("."));
const filter = fc.constantFrom(
  "",
  "[0]",
  "[-1]",
  "[role='x']",
  "[role='y' or role='x']",
  "[role in ['x']]",
  "[$exists(meta)]",
  "[role='x' and $exists(meta)]",
);
const expression = fc
  .record({
    head: fc.constantFrom(
      "last.meta",
      "byRole.x.last.meta",
      "byRole.y.metas",
      "byRole.x.tally",
      "$$.last.meta",
      "(last).meta",
      "steps.(meta)",
      "STEPS",
    ),
    filter,
    path,
    form: fc.constantFrom(
      "P",
      "($v := H; $v.Q)",
      "(H).(Q)",
      "H.(Q ? Q : 0)",
      "(P ?: 0)",
      "H^(Q).Q",
      "$map([1], function($i) { P })",
      "(function($n) { P })(1)",
      "H.$.Q",
      "H.*.Q",
      "[H].Q",
      "H#$i.Q",
      "($v := start; $v := H; $v.Q)",
      "$filter(H, function($h) { true }).Q",
    ),
  })
  .map(({ head, filter: only, path: names, form }) => {
    const from = head === "STEPS" ? `steps${only}.meta` : head;
    return form.replaceAll("P", `${from}.${names}`).replaceAll("H", from).replaceAll("Q", names);
  });

test("what some thread has is never called a fault", async () => {
  let something = 0;
  await fc.assert(
    fc.asyncProperty(metaSample, metaSample, expression, fc.boolean(), async (x, y, text, turn) => {
      const order = turn ? (["x", "y"] as const) : (["y", "x"] as const);
      const metas = { x: x.value, y: y.value };
      const steps: ModeratorStep[] = order.map((role, at) => ({
        ...{ role, meta: metas[role], contentHash: "0".repeat(13), refs: [], timestamp: at },
      }));
      const start = {
        role: START,
        content: "",
        meta: {},
        timestamp: 0,
        parentState: null,
      } as const;
      const context = { threadId: "t", depth: 0, bundleHash: "b", start, steps };
      const parsed = parseExpression(text);
      if (!parsed.ok) throw new Error(`${text}: ${parsed.error.message}`);
      const value = await parsed.value.evaluate(visible(context)).catch(() => undefined);
      const roles = { x: x.schema, y: y.schema };
      const [last = null] = order.slice(-1);
      const faultless = [last, null].map((each) =>
        checkFields({ text, kind: "expression", roles, last: each }).filter(
          ({ level }) => level === "fault",
        ),
      );
      // `H.(Q ? Q : 0)` and `P ?: 0` come to 0 for what is not there.
      if (value === undefined || value === 0 || isEmpty(value)) return;
      something += 1;
      expect(faultless, text).toEqual([[], []]);
    }),
    { numRuns: 1_000 },
  );
  expect(something).toBeGreaterThan(100);
});

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && (value.length === 0 || value.every((each) => each === 0));
}
