import { END, START } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { UNCHECKED } from "../scratch.test.helper.ts";
import { compileYaml } from "./compile-yaml.ts";

/** A graph in which the planner leads to this group, followed by these rules. */
const flow = (target: string, after = "{ clean: $END, otherwise: planner }"): string =>
  `description: one
roles:
  planner:
    goal: plan
    output: { type: object, properties: { status: { enum: [planned] } }, required: [status] }
  reviewer:
    goal: review
    output: { type: object, properties: { status: { enum: [clean, dirty] } }, required: [status] }
graph:
  $START: { new: planner }
  planner:
    planned: ${target}
  reviews: ${after}
`;
const EACH =
  '{ group: reviews, each: last.meta.files, as: file, role: reviewer, prompt: "Review {{ file }}" }';

function tableOf(text: string): { [from: string]: unknown } {
  const result = compileYaml(text, { place: "flow.yaml", checks: UNCHECKED });
  if (!result.ok) throw new Error(result.error.message);
  const [, json = ""] = /JSON\.parse\(("[\s\S]*")\)\);/.exec(result.value.code) ?? [];
  expect(result.value.warnings).toEqual([]);
  return JSON.parse(JSON.parse(json)).table;
}

function faultsOf(text: string): string {
  const result = compileYaml(text, { place: "flow.yaml", checks: UNCHECKED });
  return result.ok ? "none" : result.error.message;
}

it("a group is a target like a role, and its members need no entry", () => {
  expect(tableOf(flow(EACH))).toEqual({
    [START]: [{ condition: "FALLBACK", role: "planner" }],
    planner: [
      {
        condition: { name: "planned", when: 'last.meta.status = "planned"' },
        group: {
          ...{ name: "reviews", each: "last.meta.files", as: "file", role: "reviewer" },
          prompt: "Review {{ file }}",
        },
      },
    ],
    reviews: [
      {
        condition: {
          name: "clean",
          when: '$count(group.results[meta.status = "clean"]) = group.of',
        },
        role: END,
      },
      { condition: "FALLBACK", role: "planner" },
    ],
  });
});

it("a group says who its members are, how many run, and when it has joined", () => {
  const target = `
      group: reviews
      members: [{ role: reviewer, prompt: security, location: src }, { role: reviewer, agent: codex }]
      atOnce: 2
      join: { atLeast: 1 }
      onFault: stop`;
  const after = "[{ when: group.failed > 0, role: planner, outcomes: [timeout] }, { role: $END }]";
  expect(tableOf(flow(target, after))).toMatchObject({
    planner: [
      {
        group: {
          members: [
            { role: "reviewer", prompt: "security", location: "src" },
            { role: "reviewer", agent: "codex" },
          ],
          ...{ atOnce: 2, join: { atLeast: 1 }, onFault: "stop" },
        },
      },
    ],
    reviews: [{ outcomes: ["timeout"], role: "planner" }, { role: END }],
  });
});

it.each([
  ["no role", "{ group: reviews, each: a }", '"role" is missing beside "group"'],
  ["no items", "{ group: reviews, role: reviewer }", '"each" is missing beside "group"'],
  [
    "both kinds of members",
    "{ group: reviews, each: a, role: reviewer, members: [{ role: reviewer }] }",
    'stands beside "members"',
  ],
  ["a stranger", "{ group: reviews, each: a, role: reviwer }", 'there is no role "reviwer"; did'],
  ["no such join", "{ group: reviews, each: a, role: reviewer, join: al }", '"al" is not known'],
  ["a word of groups", "{ role: reviewer, atOnce: 3 }", '"group" is missing'],
  ["a role's name", "{ group: reviewer, each: a, role: reviewer }", "there is a role of the name"],
  ["only its name", "reviews", 'there is no role "reviews"'],
  ["no entry", "{ group: other, each: a, role: reviewer }", '"other" is missing: what comes after'],
])("a group is refused with %s", (_what, target, why) => {
  expect(faultsOf(flow(target))).toContain(why);
});

it.each([
  ["leaves cases out", "{ clean: $END }", 'the last must be "otherwise"'],
  ["names no status", "{ claen: $END, otherwise: planner }", 'no status "claen"'],
  ["asks a person", "{ role: $SUSPEND, prompt: What now? }", "a group cannot be given an answer"],
  ["ends in a condition", "[{ status: clean, role: $END }]", "the last rule must always hold"],
])("a group's entry is refused when it %s", (_what, after, why) => {
  expect(faultsOf(flow(EACH, after))).toContain(why);
});
