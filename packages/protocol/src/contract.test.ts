import { describe, expect, it } from "vitest";
import {
  ERROR_CODES,
  EXIT,
  exitCodeOf,
  HASH_PATTERN,
  THREAD_ID_PATTERN,
  WORKFLOW_NAME_PATTERN,
} from "./index.ts";

/** Pins: scripts and other programs rely on these; a change here is a breaking change. */
describe("the published contract", () => {
  it("keeps its exit codes", () => {
    expect(EXIT).toEqual({
      success: 0,
      failure: 1,
      usage: 2,
      invalidTransition: 3,
      git: 4,
      storage: 5,
      conflict: 6,
      waitsForPerson: 7,
      aborted: 130,
    });
  });

  it("ends a command with the exit code of its error's kind", () => {
    expect(exitCodeOf("TRANSITION_INVALID")).toBe(3);
    expect(exitCodeOf("CAS_COLLISION")).toBe(5);
    expect(exitCodeOf("LEASE_HELD")).toBe(6);
    expect(exitCodeOf("THREAD_ABORTED")).toBe(130);
  });

  it("lists its error codes in alphabetical order, so that a code is found and added in one place", () => {
    const codes = Object.keys(ERROR_CODES);
    expect(codes).toEqual(codes.toSorted());
  });

  it("accepts a hash only in its 64-bit Crockford form", () => {
    expect("EYHPV6X8XHTCS").toMatch(HASH_PATTERN);
    for (const bad of [
      "GYHPV6X8XHTCS",
      "eyhpv6x8xhtcs",
      "EYHPV6X8XHTC",
      "EYHPV6X8XHTCI",
      "EYHPV6X8XHTCS\n",
    ]) {
      expect(bad).not.toMatch(HASH_PATTERN);
    }
  });

  it("accepts a thread id only as an upper-case ULID", () => {
    expect("01KAJ2Z6PVX0000000000000ZZ").toMatch(THREAD_ID_PATTERN);
    for (const bad of [
      "81KAJ2Z6PVX0000000000000ZZ",
      "01KAJ2Z6PVX0000000000000Z",
      "01KAJ2Z6PVX0000000000000U0",
    ]) {
      expect(bad).not.toMatch(THREAD_ID_PATTERN);
    }
  });

  it("refuses workflow names that could be a path, an option or a look-alike", () => {
    for (const good of ["develop", "solve-issue", "a", "v1.2_x"])
      expect(good).toMatch(WORKFLOW_NAME_PATTERN);
    for (const bad of [
      "",
      ".",
      "..",
      "../x",
      "-x",
      "__proto__",
      "a/b",
      "a\n",
      "dеvelop",
      "A",
      "x-",
      "a".repeat(65),
    ]) {
      expect(bad).not.toMatch(WORKFLOW_NAME_PATTERN);
    }
  });
});
