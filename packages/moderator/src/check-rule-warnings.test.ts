import { describe, expect, it } from "vitest";
import { checkRuleWarnings } from "./index.ts";

describe("a rule is warned about", () => {
  it.each([
    "$map(byRole.planner.last.meta.phases, function($p) { steps[role='coder' and meta.phase=$p] })",
    "$count(byRole.planner.last.meta.phases[$count($$.steps[role='coder']) > 1]) = 0",
    "byRole.planner.last.meta.phases.($$.steps.meta.phase)",
    "$filter([1..3], function($n) { $exists(byRole.coder.metas[n = $n]) })",
    "byRole.planner.last.meta.phases^($$.steps[role='a'].timestamp)",
    "$map([1], function($n) { $filter(steps, function($s) { $s.role = 'a' }) })",
    "byRole.planner.last.meta.phases{hash: $$.steps[role='a']}",
  ])("when it reads the whole history once per item: %s", (when) => {
    expect(checkRuleWarnings(when)).toEqual([
      expect.stringContaining("the whole history is read once per item"),
    ]);
  });

  it("when it descends into everything", () => {
    expect(checkRuleWarnings("$count(**.error) > 0")).toEqual([expect.stringContaining("**")]);
  });

  it.each([
    "steps[-1].meta.status = 'approved'",
    "steps[role='planner'].meta.status = 'aborted'",
    "$count(steps) > 10",
    "$map([1..3], function($n) { $count(steps) > $n })",
    "$map([1..3], function($n) { steps[-1].meta.n = $n })",
    "last.meta.plan[steps > 3]",
    "last.meta.plan.(steps)",
    "last.meta.**.error",
    "$count(byRole.planner.last.meta.phases[$not($exists($lookup($$.byRole.coder.tally.completedPhase, hash)))]) = 0",
    "$now(",
  ])("not when it reads it once, or not at all: %s", (when) => {
    expect(checkRuleWarnings(when)).toEqual([]);
  });
});

describe("a rule of a group", () => {
  it.each([
    "$count(group.results[meta.status != 'ok']) = 0",
    "$count(group.results['ok' != meta.status]) = 0",
    "$not($exists(group.results[meta.status != 'ok']))",
    "$count($filter(group.results, function($r) { $r.meta.status != 'ok' })) = 0",
    "$count($$.group.results[meta.score != 3 and meta.ok]) = 0",
  ])("is warned about when a member that failed would count as clean: %s", (when) => {
    expect(checkRuleWarnings(when)).toEqual([expect.stringContaining("counts as clean")]);
  });

  it.each([
    "$count(group.results[meta.status = 'ok']) = group.of",
    "group.failed = 0 and $count(group.results[meta.status != 'ok']) = 0",
    "$count(group.results[outcome != 'ok' or meta.status != 'ok']) = 0",
    "$count(group.results[$not(meta.status = 'ok')]) = 0",
    "last.meta.status != 'ok' and $count(group.results) > 1",
    "$count(group.results[index != 0]) = 3",
  ])("is not, when it asks for what is right, or for failures: %s", (when) => {
    expect(checkRuleWarnings(when)).toEqual([]);
  });
});

it("does not warn about a rule that is nested too deep to be used", () => {
  expect(checkRuleWarnings(Array.from({ length: 2_500 }, () => "a").join(" and "))).toEqual([]);
});
