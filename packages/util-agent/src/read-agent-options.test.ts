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
    ["an option that nobody knows", { modle: "m" }, "modle"],
    ["a value that does not fit", { model: 5 }, "model"],
    ["a limit that is none", { timeoutMs: 0 }, "timeoutMs"],
    ["a variable that is no text", { env: { A: 1 } }, "env.A"],
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
