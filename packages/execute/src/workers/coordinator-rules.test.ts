import type { ToolKind } from "@uncaged/workflow-protocol";
import { policyVerdict } from "@uncaged/workflow-util/tool-rules";
import { expect, it } from "vitest";
import { rulesHeld } from "./coordinator-rules.ts";

const { tools = null } = rulesHeld({
  coordinates: { workflows: ["chore"] },
  tools: { allow: [{ kind: "execute", input: "^ls$" }] },
});

it.each<[string, ToolKind, string, boolean]>([
  ["mcp__uncaged__worker_spawn", "other", "{}", true],
  ["bash", "execute", "ls", true],
  ["worker_spawn", "execute", "rm -rf .", false],
  ["worker_spawn", "edit", "/work/a", false],
  ["Task", "other", "{}", false],
])("a coordinator calls %s as a tool of kind %s with %s: %s", (name, kind, subject, allowed) => {
  expect(policyVerdict(tools, { name, kind, subject }).allowed).toBe(allowed);
});
