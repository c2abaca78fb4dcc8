import {
  END,
  type JsonObject,
  START,
  type StateNode,
  type ThreadContext,
} from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { resultMismatch } from "./verify-result.ts";

const CONTEXT: ThreadContext = {
  ...{ threadId: "01KAJ2Z6PVX0000000000000AB", depth: 0, bundleHash: "0".repeat(13) },
  start: { role: START, content: "go", meta: {}, timestamp: 0, parentState: null },
  steps: [],
};

function ended(meta: JsonObject): { hash: string; node: StateNode } {
  const payload = {
    ...{ role: END, meta, start: "", content: "", ancestors: [], compact: null, timestamp: 0 },
    ...{ childThread: null, digests: {}, route: null },
  };
  return { hash: "", node: { type: "state", payload, refs: [] } };
}

const EXPRESSION = '{ "a": start.content, "b": [1, 2] }';

test.each<[string, string | null, JsonObject, RegExp | null]>([
  ["the same value", EXPRESSION, { returnCode: 0, result: { b: [1, 2], a: "go" } }, null],
  [
    "another value",
    EXPRESSION,
    { returnCode: 0, result: { a: "gone" } },
    /^recorded \{"a":"gone"\}; .*"go"/,
  ],
  ["none where there is one", EXPRESSION, { returnCode: 0 }, /^recorded no result;/],
  ["one that nobody asked for", null, { returnCode: 0, result: 1 }, /now says no result$/],
  ["one of a thread that failed", EXPRESSION, { returnCode: 1, result: 1 }, /now says no result$/],
  ["none of a thread that failed", EXPRESSION, { returnCode: 1 }, null],
  ["a failure that is one", "$number(start.content)", { returnCode: 0, resultError: "x" }, null],
  [
    "a failure that is none",
    EXPRESSION,
    { returnCode: 0, resultError: "x" },
    /^recorded a failure: x;/,
  ],
  ["what is missing", "start.nothing", { returnCode: 0, result: null }, null],
])("an end node that records %s", async (_, result, meta, expected) => {
  const told = await resultMismatch(result === null ? {} : { result }, ended(meta), CONTEXT);
  if (expected === null) expect(told).toBeNull();
  else expect(told).toMatch(expected);
});
