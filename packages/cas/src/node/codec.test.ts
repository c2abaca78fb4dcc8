import { readFileSync } from "node:fs";
import type { CasNode, StartPayload, StatePayload } from "@uncaged/workflow-protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  decodeNode,
  encodeContent,
  encodeNode,
  encodeStart,
  encodeState,
  refsOf,
} from "./codec.ts";
import { hashBytes, sha256Hex } from "./hash.ts";
import { nodeToYaml } from "./node-yaml.ts";

const HASH = "EYHPV6X8XHTCS";
const OTHER = "D4KP4Y6MRRVJV";
const NUMBER_LIKE = "0000000000001";
const SUM = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

const startPayload: StartPayload = {
  name: "solve-issue",
  hash: OTHER,
  depth: 1,
  parentState: "0123456789ABC",
  externals: { "@uncaged/workflow-agent-command": "0.1.0" },
  digests: { [HASH]: SUM, [OTHER]: SUM },
};
const startRefs = [HASH, "0123456789ABC"];

const statePayload: StatePayload = {
  role: "coder",
  meta: JSON.parse(
    '{"zeta":1,"alpha":["ü",null,true,-1.5e-9],"__proto__":{"own":"data"},"😀":"\\u2028"}',
  ),
  start: HASH,
  content: OTHER,
  ancestors: ["0123456789ABC", "FZZZZZZZZZZZZ"],
  compact: null,
  timestamp: 1_716_000_000_000,
  childThread: "01HY5DD8M0ABCDEFGHJKMNPQRS",
  digests: { [HASH]: SUM },
  route: { from: "planner", to: "coder", condition: "FALLBACK", rule: 2, prompt: "Do phase 1." },
  agent: { name: "command", version: "0.1.0" },
  session: null,
  prompt: NUMBER_LIKE,
  startedAt: 1_715_999_999_000,
  completedAt: 1_716_000_000_000,
  usage: { inputTokens: 10, outputTokens: 20, cachedInputTokens: 0, costUsd: 0.0125 },
  cwd: "/home/ada/project",
  evidence: ["0000000000002"],
};
const workspace = {
  repository: "/home/ada/project/.git",
  workTree: "/home/ada/project",
  head: "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  branch: null,
  before: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
  after: "f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f",
  objectFormat: "sha1" as const,
};
const saved = {
  commit: "18a75e4fd3d5e4ea4f5d4d4b8d0f58d2a5c7a9e1",
  thread: "01HY5DD8M0ABCDEFGHJKMNPQRS",
  remote: "git@example.org:ada/project.git",
  pushed: true,
  machine: { id: "0123456789abcdef", name: "ada-1" },
  place: "",
  left: [".env", "node_modules"],
};
const startsWith = { tree: workspace.before, head: null, objectFormat: workspace.objectFormat };
const stateRefs = [OTHER, HASH, ...statePayload.ancestors, NUMBER_LIKE, "0000000000002"];

const goldens = {
  content: encodeContent("Hello,\n\u0085wörld 😀 \ud800\u001b[31m\n", [HASH]),
  empty: encodeContent(""),
  start: encodeStart(startPayload, startRefs),
  state: encodeState(statePayload, stateRefs),
  "state-with-files": encodeState({ ...statePayload, workspace }, stateRefs),
  "state-that-travels": encodeState(
    { ...statePayload, workspace: { ...workspace, saved } },
    stateRefs,
  ),
  "start-that-travels": encodeStart(
    { ...startPayload, files: { ...saved, ...startsWith } },
    startRefs,
  ),
  "start-that-stays": encodeStart({ ...startPayload, staysOn: saved.machine }, startRefs),
};

describe.each(Object.entries(goldens))("the golden %s node", (name, node) => {
  const golden = (ending: string) =>
    readFileSync(new URL(`golden/${name}.${ending}`, import.meta.url), "utf8");

  test("has exactly these bytes", () => {
    expect(node.text).toBe(golden("txt"));
    expect(node.hash).toBe(hashBytes(node.text));
    expect(node.sha256).toBe(sha256Hex(node.text));
  });

  test("is decoded, and encoded again to the same bytes", () => {
    const again = decoded(node.text);
    expect(encodeNode(again)).toEqual(node);
    expect(refsOf(node.text)).toEqual({ ok: true, value: again.refs });
  });

  test("means the same to a YAML parser", () => {
    expect(parse(node.text)).toEqual(decoded(node.text));
  });

  test("is shown to people as this block YAML", async () => {
    expect(await nodeToYaml(decoded(node.text))).toBe(golden("yaml"));
  });
});

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);
const anyHash = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((bits) => {
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return Array.from(
    { length: 13 },
    (_, i) => alphabet[Number((bits >> BigInt(60 - 5 * i)) & 31n)],
  ).join("");
});
const anyMeta = fc
  .dictionary(
    anyText,
    fc.json({ stringUnit: "binary" }).map((text) => JSON.parse(text)),
  )
  .map((meta) => JSON.parse(JSON.stringify(meta)));

test("any text and refs survive, to a JSON reader, a YAML reader and as block YAML", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, fc.array(anyHash), async (payload, refs) => {
      const { text } = encodeContent(payload, refs);
      const node = decoded(text);
      expect(node).toEqual({ type: "content", payload, refs });
      expect(parse(text)).toEqual(node);
      expect(parse(await nodeToYaml(node))).toEqual(node);
    }),
    { numRuns: 500 },
  );
});

test("any meta survives, to a JSON reader, a YAML reader and as block YAML", async () => {
  await fc.assert(
    fc.asyncProperty(anyMeta, async (meta) => {
      const { text } = encodeState({ ...statePayload, meta }, stateRefs);
      const node = decoded(text);
      expect(node).toEqual({ type: "state", payload: { ...statePayload, meta }, refs: stateRefs });
      expect(parse(text)).toEqual(node);
      expect(parse(await nodeToYaml(node))).toEqual(node);
    }),
    { numRuns: 500 },
  );
});

test("no text at all makes the decoder throw", () => {
  fc.assert(
    fc.property(anyText, fc.nat(), anyText, (insert, at, other) => {
      const { text } = goldens.state;
      for (const spoilt of [
        other,
        text.slice(0, at % text.length) + insert + text.slice(at % text.length),
      ]) {
        expect(typeof decodeNode(spoilt).ok).toBe("boolean");
        expect(typeof refsOf(spoilt).ok).toBe("boolean");
      }
    }),
  );
});

test("a field that a later version adds does not stop an earlier reader", () => {
  const later = goldens.state.text.replace('"compact":null', '"compact":null,"contributor":"x"');
  expect(decodeNode(later).ok).toBe(true);
});

test("reading polluting keys pollutes nothing", () => {
  const node = decoded(goldens.state.text);
  expect(node.type === "state" && Object.keys(node.payload.meta)).toContain("__proto__");
  expect(Object.getPrototypeOf(node.type === "state" ? node.payload.meta : null)).toBe(
    Object.prototype,
  );
});

const state = goldens.state.text;
test.each<[string, string, string]>([
  ["an empty file", "", "three lines"],
  ["zeros", "\0".repeat(100), "three lines"],
  ["a missing final line break", state.slice(0, -1), "three lines"],
  ["a fourth line", `${state}more: 1\n`, "three lines"],
  ["lines in another order", 'payload: ""\ntype: "content"\nrefs: []\n', "three lines"],
  ["a type without quotes", 'type: content\npayload: ""\nrefs: []\n', "JSON"],
  ["an unknown type", 'type: "tree"\npayload: ""\nrefs: []\n', "type must be"],
  [
    "a content that is no text",
    'type: "content"\npayload: {}\nrefs: []\n',
    "payload must be a text",
  ],
  ["refs that are no hashes", 'type: "content"\npayload: ""\nrefs: ["../x"]\n', "refs must be"],
  ["refs that are no list", 'type: "content"\npayload: ""\nrefs: {}\n', "refs must be"],
  [
    "a payload that is a list",
    'type: "start"\npayload: []\nrefs: []\n',
    "payload must be an object",
  ],
  ["a missing field", state.replace('"role":"coder",', ""), "payload.role must be a text"],
  [
    "a wrong hash",
    state.replace(`"start":"${HASH}"`, '"start":"x"'),
    "payload.start must be a hash",
  ],
  [
    "files that came from nowhere",
    goldens["state-that-travels"].text.replace('"pushed":true', '"pushed":"yes"'),
    "payload.workspace must be",
  ],
  [
    "a start with another thread's path",
    goldens["start-that-travels"].text.replace(
      '"01HY5DD8M0ABCDEFGHJKMNPQRS"',
      '"../../heads/main"',
    ),
    "payload.files must be",
  ],
  [
    "a start that stays nowhere",
    goldens["start-that-stays"].text.replace('"id":', '"ID":'),
    "payload.staysOn must be a machine",
  ],
  ["a wrong digest", state.replace(SUM, "00"), "payload.digests must be"],
  ["a time that is none", state.replace("1715999999000", "-1"), "payload.startedAt must be"],
  [
    "refs that leave out the content",
    state.replace(`refs: ["${OTHER}",`, "refs: ["),
    "refs must begin",
  ],
  [
    "a start without its prompt",
    goldens.start.text.replace(`refs: ["${HASH}",`, "refs: ["),
    "the prompt",
  ],
])("%s is refused as a node, with the reason", (_what, text, reason) => {
  const outcome = decodeNode(text);
  expect(outcome).toMatchObject({ ok: false, error: { code: "CAS_NOT_A_NODE" } });
  expect(outcome.ok ? "" : outcome.error.message).toContain(reason);
});

test("nothing is written that could not be read back", () => {
  expect(() => encodeState({ ...statePayload, ancestors: ["x"] }, stateRefs)).toThrow("ancestors");
  expect(() => encodeState(statePayload, stateRefs.slice(1))).toThrow("refs must begin");
  expect(() => encodeStart(startPayload, [HASH])).toThrow("refs must be the prompt");
  expect(() => encodeContent("x", ["not a hash"])).toThrow("refs must be a list of hashes");
});

function decoded(text: string): CasNode {
  const node = decodeNode(text);
  if (node.ok) return node.value;
  throw new Error(node.error.message);
}
