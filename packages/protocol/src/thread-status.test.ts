import { describe, expect, it } from "vitest";
import { canMove, isFinal, THREAD_STATUSES } from "./thread-status.ts";

describe("thread statuses", () => {
  it("has exactly three final ones", () => {
    expect(THREAD_STATUSES.filter(isFinal)).toEqual(["completed", "failed", "aborted"]);
  });

  it("lets every thread that is not final be run and be aborted", () => {
    for (const status of THREAD_STATUSES.filter((one) => !isFinal(one) && one !== "running")) {
      expect(canMove(status, "running"), status).toBe(true);
      expect(canMove(status, "aborted"), status).toBe(true);
    }
  });

  it("completes and fails only what runs", () => {
    const sources = THREAD_STATUSES.filter(
      (status) => canMove(status, "completed") || canMove(status, "failed"),
    );
    expect(sources).toEqual(["running"]);
  });
});
