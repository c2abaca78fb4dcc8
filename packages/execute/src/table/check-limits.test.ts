import {
  type DescriptorEdge,
  type DescriptorRole,
  END,
  type Limits,
  type RoleRules,
  START,
} from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { edge } from "../testing/edge.test.helper.ts";
import { checkTable } from "./check-table.ts";

const role = (rules: RoleRules = {}): DescriptorRole => ({
  ...{ description: "", systemPrompt: "", schema: {} },
  ...rules,
});

/** A graph of `planner`, `coder` any number of times, `tester`, and the end. */
function found(about: { limits?: Limits; coder?: RoleRules; way?: DescriptorEdge }): string[] {
  const { limits, coder, way } = about;
  const edges = [
    ...(way === undefined ? [] : [way]),
    edge(START, "planner"),
    edge("planner", "coder"),
    edge("coder", "coder", { condition: "more", when: "last.meta.left > 0" }),
    edge("coder", "tester"),
    edge("tester", END),
  ];
  const roles = { planner: role(), coder: role(coder), tester: role() };
  const bounds = limits === undefined ? {} : { limits };
  return checkTable({ description: "", roles, graph: { edges }, ...bounds }).map(
    ({ code, level, place, message }) => `${level} ${code} ${place}: ${message}`,
  );
}

describe("the check of a workflow's limits", () => {
  it("finds nothing in bounds that can all be reached", () => {
    const coder: RoleRules = {
      timeoutMs: 1_000,
      limits: { steps: 3, tokens: 10, costUsd: 1, timeMs: 1_000 },
      retry: { attempts: 1 },
    };
    expect(found({ limits: { steps: 3, tokens: 10, costUsd: 1, timeMs: 1_000 }, coder })).toEqual(
      [],
    );
  });

  it("is at fault with a workflow that cannot end within its steps", () => {
    expect(found({ limits: { steps: 2 } })).toEqual([
      "fault LIMIT_TOO_LOW limits.steps: the shortest way to the end takes 3 steps, and a thread may make 2",
    ]);
    const way = edge("planner", END, { condition: "asked too much", outcomes: ["limit"] });
    expect(found({ limits: { steps: 2 }, way })).toEqual([]);
  });

  it("warns of a role's bound that the thread's own always comes before", () => {
    const coder = { limits: { steps: 5, tokens: 11, costUsd: 2, timeMs: 5 } };
    const limits = { steps: 4, tokens: 10, costUsd: 1.5, timeMs: 4 };
    expect(found({ limits, coder })).toEqual([
      "warning LIMIT_DEAD roles.coder.limits.steps: 5 is never reached: the thread stops at 4",
      "warning LIMIT_DEAD roles.coder.limits.tokens: 11 is never reached: the thread stops at 10",
      "warning LIMIT_DEAD roles.coder.limits.costUsd: 2 is never reached: the thread stops at 1.5",
      "warning LIMIT_DEAD roles.coder.limits.timeMs: 5 is never reached: the thread stops at 4",
    ]);
  });

  it("knows how many steps a thread makes where nobody says", () => {
    expect(found({ coder: { limits: { steps: 2_000 } } })).toEqual([
      "warning LIMIT_DEAD roles.coder.limits.steps: 2000 is never reached: the thread stops at 1000",
    ]);
  });

  it("warns of a time limit for one run that is longer than that of all runs", () => {
    const message =
      "warning LIMIT_DEAD roles.coder.timeoutMs: 9 is never reached: all runs together have 8";
    expect(found({ limits: { timeMs: 8 }, coder: { timeoutMs: 9 } })).toEqual([message]);
    expect(found({ coder: { timeoutMs: 9, limits: { timeMs: 8 } } })).toEqual([message]);
  });

  it("warns of a retry that tries nothing again", () => {
    expect(found({ coder: { retry: { attempts: 0 } } })).toEqual([
      "warning RETRY_DEAD roles.coder.retry: nothing is tried again: attempts is 0",
    ]);
    expect(found({ coder: { retry: { attempts: 2, on: [] } } })).toEqual([
      "warning RETRY_DEAD roles.coder.retry: nothing is tried again: on is empty",
    ]);
  });
});
