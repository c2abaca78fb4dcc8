import assert from "node:assert/strict";
import { createLlmFn, createThreadReactor } from "@uncaged/workflow-reactor";
import { z } from "zod";
import { withModelServer } from "../parts/model-server.mjs";

export const title =
  "model replies: not JSON, fenced, two objects, wrong types, unknown tools, cut, 429, 5xx, hang, drip; same tool call for ever";

const SCHEMA = z.object({ verdict: z.enum(["good", "bad"]), count: z.number() });
const GOOD = '{"verdict":"good","count":2}';
const ROUNDS = 4;
const RETRIES = 2;
const HUGE = 40 * 1024 * 1024;

const says = (content, finish = "stop") => ({ content, finish });
const calls = (name, args, finish = "tool_calls") => ({ call: { name, args }, finish });
const answer = says(GOOD);

/** `replies`: what the server gives, the last again and again. `gives`: the value in the end, or what the failure
 *  is called; a list where either is right. `asked`: how often the server is asked at most. `ran`: how often the
 *  tool `look` may have been run. */
const CASES = {
  "plain JSON": { replies: [answer], gives: "value", asked: 1 },
  "fenced JSON": {
    replies: [says(`Sure:\n\`\`\`json\n${GOOD}\n\`\`\``)],
    gives: "value",
    asked: 1,
  },
  "two objects": { replies: [says(`{"verdict":1} ${GOOD}`), answer], gives: "value", asked: 2 },
  "malformed JSON, then good": {
    replies: [says('{"verdict":"go'), answer],
    gives: "value",
    asked: 2,
  },
  "malformed JSON for ever": { replies: [says("{{{")], gives: "rounds", asked: ROUNDS },
  "wrong types for ever": {
    replies: [says('{"verdict":7,"count":"x"}')],
    gives: "rounds",
    asked: ROUNDS,
  },
  empty: {
    replies: [says("")],
    gives: ["rounds", "crashed", "invalid_output"],
    asked: ROUNDS * (RETRIES + 1),
  },
  "an unknown tool, then good": {
    replies: [calls("erase", "{}"), answer],
    gives: "value",
    asked: 2,
  },
  "the same tool call for ever": {
    replies: [calls("look", "{}")],
    gives: "rounds",
    asked: ROUNDS,
    ran: ROUNDS,
  },
  "structured tool, broken arguments": {
    replies: [calls("result", '{"verdict"'), answer],
    gives: "value",
    asked: 2,
  },
  "structured tool": { replies: [calls("result", GOOD)], gives: "value", asked: 1 },
  "a tool call cut by its length": {
    replies: [calls("look", '{"a":', "length"), answer],
    gives: ["value", "crashed", "invalid_output"],
    asked: 2,
    ran: 0,
  },
  "a stream cut in the middle": {
    replies: [{ ...answer, cutAfter: 1 }, answer],
    gives: "value",
    asked: 2,
  },
  "a stream cut before its finish": {
    replies: [{ ...calls("look", "{}"), cutAfter: 2 }, answer],
    gives: "value",
    asked: 2,
    ran: 0,
  },
  "cut for ever": { replies: [{ ...answer, cutAfter: 1 }], gives: "failure", asked: RETRIES + 1 },
  "429 with seconds": {
    replies: [{ status: 429, retryAfter: "0" }, answer],
    gives: "value",
    asked: 2,
  },
  "429 with a date": {
    replies: [{ status: 429, retryAfter: new Date(0).toUTCString() }, answer],
    gives: "value",
    asked: 2,
  },
  "429 with nonsense": {
    replies: [{ status: 429, retryAfter: "soon" }, answer],
    gives: "value",
    asked: 2,
  },
  "429 with an hour": {
    replies: [{ status: 429, retryAfter: "3600" }],
    gives: "failure",
    asked: 1,
  },
  "429 for ever": {
    replies: [{ status: 429, retryAfter: "0" }],
    gives: "failure",
    asked: RETRIES + 1,
  },
  "500, then good": { replies: [{ status: 500 }, answer], gives: "value", asked: 2 },
  "503 for ever": { replies: [{ status: 503 }], gives: "failure", asked: RETRIES + 1 },
  401: { replies: [{ status: 401 }], gives: "failure", asked: 1 },
  "no answer": { replies: [{ hang: true }], gives: "failure", asked: RETRIES + 1 },
  "a slow drip": {
    replies: [{ ...says("x".repeat(2_000)), dripMs: 100 }],
    gives: "failure",
    asked: RETRIES + 1,
  },
  huge: { replies: [says("y".repeat(HUGE))], gives: ["failure", "rounds"], asked: ROUNDS },
  "a page of HTML": { replies: [{ html: true }], gives: "failure", asked: RETRIES + 1 },
};

export async function* cases() {
  for (const [name, each] of Object.entries(CASES)) yield { name, run: () => replied(each) };
}

async function replied({ replies, gives, asked, ran = null }) {
  await withModelServer(replies, async ({ baseUrl, requests }) => {
    let looked = 0;
    const limits = {
      totalTimeoutMs: 3_000,
      idleTimeoutMs: 1_000,
      maxRetries: RETRIES,
      maxDelayMs: 5_000,
    };
    const react = createThreadReactor({
      llm: createLlmFn({ baseUrl, model: "m", apiKey: "key", ...limits }),
      staticTools: [{ name: "look", description: "looks", parameters: { type: "object" } }],
      structuredToolFromSchema: () => ({
        name: "result",
        description: "the result",
        parameters: { type: "object" },
      }),
      systemPromptForStructuredTool: (name) => `Call ${name}.`,
      toolHandler: async () => {
        looked += 1;
        return "nothing new";
      },
      maxRounds: ROUNDS,
    });
    const messages = [{ role: "user", content: "Judge." }];
    const { signal } = new AbortController();
    const result = await react({ schema: SCHEMA, messages, signal });
    const outcome = outcomeOf(result);
    const right = [gives]
      .flat()
      .some((each) => each === outcome || (each === "failure" && !result.ok));
    assert.ok(right, `${outcome}: ${JSON.stringify(result).slice(0, 300)}`);
    assert.ok(requests() <= asked, `asked ${requests()} times, not ${asked}`);
    if (ran !== null) assert.ok(looked <= ran, `the tool ran ${looked} times`);
  });
}

function outcomeOf(result) {
  if (result.ok) {
    assert.deepEqual(result.value.value, JSON.parse(GOOD));
    return "value";
  }
  return result.error === "max_react_rounds_exceeded" ? "rounds" : result.error.outcome;
}
