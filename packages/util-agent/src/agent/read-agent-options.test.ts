import { failureFrom } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readAgentOptions } from "./read-agent-options.ts";

const own = z.strictObject({ model: z.string().optional() });

describe("readAgentOptions", () => {
  it("reads an adapter's own options and those of every adapter", () => {
    const options = { model: "m", timeoutMs: null, idleTimeoutMs: 5_000, passEnv: ["KEY"] };
    expect(readAgentOptions("codex", own, options)).toEqual(options);
    expect(readAgentOptions("codex", own, {})).toEqual({});
  });

  it.each([
    ["an unknown option", { modle: "m" }, "modle"],
    ["a value of the wrong type", { model: 5 }, "model"],
    ["an invalid limit", { timeoutMs: 0 }, "timeoutMs"],
    ["a variable that is not a string", { env: { A: 1 } }, "env.A"],
  ])("refuses %s, and says which", (_name, options, named) => {
    let thrown: unknown;
    try {
      readAgentOptions("codex", own, options);
    } catch (error) {
      thrown = error;
    }
    const reason = failureFrom(thrown, "INTERNAL");
    expect(reason.code).toBe("CONFIG_INVALID");
    expect(reason.message).toContain("options of the agent codex");
    expect(reason.message).toContain(named);
  });
});
