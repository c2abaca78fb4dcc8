import { expect, it } from "vitest";
import { stepEnvironment } from "./step-environment.ts";

const step = { role: "coder", round: 3 };
const given = { UNCAGED_THREAD_ID: "T", UNCAGED_ROLE: "coder", UNCAGED_ROUND: "3" };

it("tells a program its step, and its place in a trace if there is one", () => {
  const told = (more: object) =>
    stepEnvironment({ threadId: "T" }, { step: Object.assign({}, step, more) } as never);
  expect(told({})).toEqual(given);
  expect(told({ traceparent: "00-a-b-01" })).toEqual({ ...given, TRACEPARENT: "00-a-b-01" });
});
