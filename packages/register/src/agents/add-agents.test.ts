import { expect, it } from "vitest";
import { addAgentsCommand } from "./add-agents.ts";

it("adds all of them in one line, each with the adapter that its name suggests", () => {
  expect(addAgentsCommand(["codex", "writer", "opencode"])).toBe(
    [
      "uncaged-workflow agent add @uncaged/workflow-agent-codex --name codex",
      "uncaged-workflow agent add @uncaged/workflow-agent-claude-code --name writer",
      "uncaged-workflow agent add @uncaged/workflow-agent-acp --name opencode --option preset=opencode",
    ].join(" && "),
  );
});

it("puts nothing into the line that is not an agent's name", () => {
  const hostile = ["$(touch x)", "a b", "codex"];
  expect(addAgentsCommand(hostile)).toBe(
    "uncaged-workflow agent add @uncaged/workflow-agent-codex --name codex",
  );
  expect(addAgentsCommand(["$(touch x)"])).not.toContain("touch");
});
