import { describe, expect, it } from "vitest";
import { machineId, nameOf, UNKNOWN_MACHINE } from "./machine-id.ts";

describe("the name of a machine", () => {
  it("is the same each time", () => {
    expect(machineId()).toBe(machineId());
  });

  it("does not show the system's own id", () => {
    expect(nameOf("0123456789abcdef", "host")).not.toContain("0123456789abcdef");
  });

  it("differs for copies of one disk image with different host names", () => {
    expect(nameOf("1", "a")).not.toBe(nameOf("1", "b"));
    expect(nameOf("1", "a")).not.toBe(nameOf("2", "a"));
  });

  it("is unknown where the system has no id: a host name alone proves nothing", () => {
    expect(nameOf(null, "localhost")).toBe(UNKNOWN_MACHINE);
  });
});
