import { describe, expect, it } from "vitest";
import { buildAgentPrompt } from "./build-agent-prompt.ts";

describe("buildAgentPrompt", () => {
  it("says who, what and how to answer, in this order", async () => {
    const prompt = buildAgentPrompt({
      rolePrompt: "You review changes.\n",
      threadInput: "# Task\n\nMend slugify.\n",
      outputSchema: { type: "object", properties: { status: { enum: ["approved", "rejected"] } } },
    });
    await expect(prompt).toMatchFileSnapshot("golden/agent-prompt.md");
  });

  it("says nothing of the answer when the agent enforces the schema itself", () => {
    const parts = { rolePrompt: "", threadInput: "task", outputSchema: null };
    expect(buildAgentPrompt(parts)).toBe("task\n");
  });
});
