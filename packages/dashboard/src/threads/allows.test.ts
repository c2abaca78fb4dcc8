import { THREAD_STATUSES } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { allows } from "./allows.ts";

test("a verb is offered for threads that it can do something with", () => {
  const able = (verb: "pause" | "resume" | "stop" | "kill") =>
    THREAD_STATUSES.filter((status) => allows(verb, { status }));
  expect(able("pause")).toEqual(["idle", "queued", "running"]);
  expect(able("resume")).toEqual(["idle", "queued", "paused"]);
  expect(able("stop")).toEqual(["queued", "running"]);
  expect(able("kill")).toEqual(["idle", "queued", "running", "paused", "suspended"]);
});
