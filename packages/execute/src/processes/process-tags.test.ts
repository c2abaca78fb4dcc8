import { expect, it } from "vitest";
import { leaseTag, runnerTag, stepOwner, stepTag } from "./process-tags.ts";

const lease = { threadId: "01M7Z9WNCVHA4DP8Y98XX3ZSRG", fence: 12 };
const group = { name: "reviews", entry: 3, index: 1, of: 2 };

it("the tag of a step's process says whose step it is", () => {
  expect(stepOwner(stepTag({ ...lease, group: undefined }))).toEqual(lease);
  expect(stepOwner(`${leaseTag(lease)}:0AB1C2D3`)).toEqual(lease);
});

it.each([
  ["a member's", `${stepTag({ ...lease, group })}:0AB1C2D3`],
  ["a runner's", runnerTag(lease.threadId)],
  ["somebody else's", "check:0AB1C2D3"],
  ["none", undefined],
])("%s names no step that can lend", (_whose, tag) => {
  expect(stepOwner(tag)).toBeNull();
});
