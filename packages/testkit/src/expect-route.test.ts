import { defineRole, defineWorkflow, END, START } from "@uncaged/workflow-runtime";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  expectEveryEdge,
  expectRoute,
  runWorkflow,
  scripted,
  untakenEdges,
  walkTable,
} from "./index.ts";

const role = defineRole({
  description: "",
  systemPrompt: "",
  schema: z.object({ ok: z.boolean() }),
  extractRefs: null,
});

const definition = defineWorkflow({
  description: "Codes and reviews",
  roles: { coder: role, reviewer: role },
  table: {
    [START]: [{ condition: "FALLBACK", role: "coder" }],
    coder: [{ condition: "FALLBACK", role: "reviewer" }],
    reviewer: [
      { condition: { name: "approved", when: "last.meta.ok" }, role: END },
      { condition: "FALLBACK", role: "coder" },
    ],
  },
});

const approved = { coder: [{ ok: true }], reviewer: [{ ok: true }] };
const rejected = { coder: [{ ok: true }, { ok: true }], reviewer: [{ ok: false }, { ok: true }] };
const run = (scripts: Parameters<typeof scripted>[0]): ReturnType<typeof runWorkflow> =>
  runWorkflow(definition, { prompt: "go", agents: scripted(scripts) });

describe("an expected route", () => {
  it("that was taken passes", async () => {
    expectRoute(await run(approved), ["coder", "reviewer", END]);
  });

  it("that was not taken is shown next to the actual one, with the rules", async () => {
    const result = await run(rejected);
    expect(() =>
      expectRoute(result, ["coder", "reviewer", END]),
    ).toThrowErrorMatchingInlineSnapshot(`
      [Error: the run took another route
        expected   taken
        coder      coder  (FALLBACK from __start__)
        reviewer   reviewer  (FALLBACK from coder)
      ≠ __end__    coder  (FALLBACK from reviewer)
      ≠ (nothing)  reviewer  (FALLBACK from coder)
      ≠ (nothing)  __end__  (approved from reviewer)]
    `);
  });

  it("that a failure cut short is shown with the failure", async () => {
    const result = await run({ coder: [{ ok: true }] });
    expect(() =>
      expectRoute(result, ["coder", "reviewer", END]),
    ).toThrowErrorMatchingInlineSnapshot(`
      [Error: the run took another route
        expected   taken
        coder      coder  (FALLBACK from __start__)
        reviewer   reviewer  (FALLBACK from coder)
      ≠ __end__    (nothing)
      the run failed: USAGE: role reviewer has no scripted turn and was asked for another in round 2]
    `);
  });
});

describe("the edges of a table", () => {
  it("are listed as they are written", () => {
    expect(walkTable(definition)).toEqual([
      { from: START, rule: 0, condition: "FALLBACK", to: "coder" },
      { from: "coder", rule: 0, condition: "FALLBACK", to: "reviewer" },
      { from: "reviewer", rule: 0, condition: "approved", to: END },
      { from: "reviewer", rule: 1, condition: "FALLBACK", to: "coder" },
    ]);
  });

  it("that no run took are named", async () => {
    const runs = [await run(approved)];
    expect(untakenEdges(definition, runs)).toEqual([
      { from: "reviewer", rule: 1, condition: "FALLBACK", to: "coder" },
    ]);
    expect(() => expectEveryEdge(definition, runs)).toThrow(
      "no run took these transitions:\n  table.reviewer[1]  FALLBACK → coder",
    );
    expectEveryEdge(definition, [...runs, await run(rejected)]);
  });
});
