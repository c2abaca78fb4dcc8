import { type JsonValue, type ModeratorContext, START } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { evaluateResult } from "./evaluate-result.ts";

const CONTEXT: ModeratorContext = {
  ...{ threadId: "t", depth: 0, bundleHash: "b" },
  start: { role: START, content: "go", meta: {}, timestamp: 0, parentState: null },
  steps: [
    {
      ...{ role: "writer", contentHash: "0".repeat(13), refs: [], timestamp: 1 },
      meta: { text: 'say "hi"\n', list: [1, null, { deep: true }], no: false },
    },
  ],
};

test.each<[string, JsonValue]>([
  ["last.meta.text", 'say "hi"\n'],
  ["last.meta.list", [1, null, { deep: true }]],
  ["last.meta.no", false],
  ["last.meta.missing", null],
  ["null", null],
  ["$count(steps)", 1],
  ["{ 'text': byRole.writer.last.meta.text }", { text: 'say "hi"\n' }],
  ["$map([1..3], function($i) { $i * 2 })", [2, 4, 6]],
])("%s is %j", async (expression, value) => {
  expect(await evaluateResult(expression, CONTEXT)).toEqual({ ok: true, value });
});

test.each([
  ["$number(last.meta.text)", /Unable to cast/],
  ["$sum", /function, not data/],
  ["function($x) { $x }", /function, not data/],
  ["{ 'f': $sum }", /function, not data/],
  ["last.(", /not a JSONata expression/],
  ["($f := function($x) { $f($x) }; $f(1))", /longer than|timeout/i],
  ["1e300 * 1e300", /out of range/i],
])("%s fails, and says why", async (expression, why) => {
  const result = await evaluateResult(expression, CONTEXT);
  expect(result).toMatchObject({ ok: false, error: { code: "RESULT_FAILED" } });
  if (!result.ok) expect(result.error.message).toMatch(why);
});
