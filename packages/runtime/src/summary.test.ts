import { END, type RoleStep, type StepRoute } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { summaryOf } from "./summary.ts";

const step = (role: string, meta: Record<string, unknown> = {}): RoleStep => ({
  role,
  meta,
  contentHash: "0000000000000",
  refs: [],
  timestamp: 0,
  childThread: null,
  run: null,
});

const end = (condition: string): StepRoute => ({
  from: "a",
  to: END,
  condition,
  rule: 0,
  prompt: null,
});

describe("a workflow's own summary", () => {
  it("states the path, the reason and the last result", () => {
    const steps = [step("a"), step("b"), step("b"), step("a", { ok: true })];
    expect(summaryOf(steps, end("approved"))).toBe(
      '4 steps: a → b ×2 → a; ended by approved.\na: {"ok":true}',
    );
    expect(summaryOf([step("a")], end("FALLBACK"))).toBe("1 step: a.\na: {}");
    expect(summaryOf([step("a")], end("NO_MATCH"))).toBe("1 step: a; no rule of a matched.\na: {}");
    expect(summaryOf([], end("FALLBACK"))).toBe("Ended before the first step.");
  });

  it("stays short however long the thread and its last result are", () => {
    const steps = Array.from({ length: 10_000 }, (_, at) =>
      step(at % 2 === 0 ? "coder" : "reviewer"),
    );
    const summary = summaryOf([...steps, step("last", { text: "x".repeat(10_000) })], end("done"));
    expect(summary).toContain(
      "coder → reviewer → coder → reviewer → coder → reviewer → … → reviewer",
    );
    expect(summary.length).toBeLessThan(600);
  });
});
