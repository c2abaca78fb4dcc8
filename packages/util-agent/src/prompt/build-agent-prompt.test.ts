import { describe, expect, it } from "vitest";
import { buildAgentPrompt } from "./build-agent-prompt.ts";

describe("buildAgentPrompt", () => {
  it("says who the agent is, what to do and how to answer, in this order", async () => {
    const prompt = buildAgentPrompt({
      rolePrompt: "You review changes.\n",
      threadInput: "# Task\n\nMend slugify.\n",
      outputSchema: { type: "object", properties: { status: { enum: ["approved", "rejected"] } } },
    });
    await expect(prompt).toMatchFileSnapshot("golden/agent-prompt.md");
  });

  it("asks an agent that has a tool for its result to call it, and still shows the schema", () => {
    const prompt = buildAgentPrompt({
      rolePrompt: "",
      threadInput: "task",
      outputSchema: { type: "object" },
      handInTool: "submit",
    });
    expect(prompt).toContain("hand in your result by calling `submit`");
    expect(prompt).toContain('"type": "object"');
    expect(prompt).not.toContain("end with one JSON object");
  });

  it("says nothing about the answer when the agent enforces the schema itself", () => {
    const parts = { rolePrompt: "", threadInput: "task", outputSchema: null };
    expect(buildAgentPrompt(parts)).toBe("task\n");
  });
});
