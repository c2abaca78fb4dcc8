import type { StateNode, StepGroup } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import type { Chain } from "../chain/chain.ts";
import { stateSeenBy, verifyGroups } from "./verify-groups.ts";

const START_HASH = "0000000000000";

/** null: a step that is not a member. */
function chainOf(groups: readonly (StepGroup | null)[]): Chain {
  const states = groups.map((group, at) => {
    const ancestors = at === 0 ? [] : [`state ${at - 1}`];
    const payload: StateNode["payload"] = {
      ...{ role: "worker", meta: {}, start: START_HASH, content: "", ancestors, compact: null },
      ...{ timestamp: 0, childThread: null, digests: {}, route: null },
      ...(group === null ? {} : { group }),
    };
    return { hash: `state ${at}`, node: { type: "state", payload, refs: [] } as const };
  });
  const start = {
    ...{ name: "flow", hash: "", depth: 0, parentState: null, externals: {}, digests: {} },
  };
  return { startHash: START_HASH, start: { type: "start", payload: start, refs: [] }, states };
}

const member = (index: number, other: Partial<StepGroup> = {}): StepGroup => ({
  ...{ name: "g", entry: 1, index, of: 3 },
  ...other,
});

it("members stand in any order, and a group may be entered again", () => {
  const again = [1, 0].map((index) => member(index, { entry: 5 }));
  expect(verifyGroups(chainOf([null, member(2), member(0), member(1), null, ...again]))).toEqual(
    [],
  );
});

it.each([
  ["twice", [null, member(1), member(1)], 2, "member 1 of the group g is there twice"],
  ["beyond the last", [null, member(3)], 1, "the group g of 3 members has no member 3"],
  ["elsewhere", [null, null, member(0)], 2, "the group g began after 2 steps, not 1"],
  ["of fewer", [null, member(0), member(1, { of: 2 })], 2, "the group g has 3 members, not 2"],
])("a member %s is found", (_what, groups, at, message) => {
  expect(verifyGroups(chainOf(groups))).toEqual([{ hash: `state ${at}`, message }]);
});

it("a member saw the state before its group, another step the one before it", () => {
  const chain = chainOf([null, member(2), member(0), null]);
  const seen = chain.states.map((state) => stateSeenBy(chain, state));
  expect(seen).toEqual([START_HASH, "state 0", "state 0", "state 2"]);
});
