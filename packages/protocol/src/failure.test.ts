import { describe, expect, it } from "vitest";
import { failure, failureFrom, WorkflowError } from "./failure.ts";

const reason = failure("AGENT_FAILED", "the agent broke", "try again");

/** The same class from another copy of this module, as inside a bundle. */
class ForeignError extends Error {
  readonly failure: unknown;

  constructor(carried: unknown) {
    super("foreign");
    this.failure = carried;
  }
}

describe("the failure of a thrown value", () => {
  it("is the one that a WorkflowError carries, whichever copy of the class made it", () => {
    expect(failureFrom(new WorkflowError(reason), "INTERNAL")).toEqual(reason);
    expect(failureFrom(new ForeignError({ ...reason }), "INTERNAL")).toEqual(reason);
  });

  it("takes nothing but code, message and hint from a foreign copy", () => {
    expect(failureFrom(new ForeignError({ ...reason, extra: 1 }), "INTERNAL")).toEqual(reason);
  });

  it.each([
    null,
    "AGENT_FAILED",
    {},
    { ...reason, code: "NEWER_THAN_US" },
    { ...reason, code: "toString" },
    { ...reason, message: 1 },
    { code: "AGENT_FAILED", message: "no hint" },
  ])("is the fallback when it carries something else: %j", (carried) => {
    expect(failureFrom(new ForeignError(carried), "WORKFLOW_FAILED")).toEqual({
      code: "WORKFLOW_FAILED",
      message: "foreign",
      hint: "",
    });
  });

  it("is the fallback for any other error", () => {
    expect(failureFrom(new TypeError("no"), "INTERNAL")).toEqual(failure("INTERNAL", "no", ""));
    expect(failureFrom(new TypeError(), "INTERNAL")).toEqual(failure("INTERNAL", "TypeError", ""));
    expect(failureFrom("text", "INTERNAL")).toEqual(failure("INTERNAL", "text", ""));
    expect(failureFrom(undefined, "INTERNAL").message).toBe("undefined");
  });
});
