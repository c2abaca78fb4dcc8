import { expect, it } from "vitest";
import { judgeCall } from "./judge-call.ts";
import { newToolCall, noteNews } from "./tool-call.ts";

it("an edit of the engine's storage is refused to a role without a policy", () => {
  const step = { policy: null, storageRoot: "/store", home: "/store/agents/t/coder", cwd: "/work" };
  const edit = (...paths: string[]) => ({
    ...newToolCall("1", 0),
    ...{ kind: "edit" as const, paths: new Set(paths) },
  });
  const verdict = (...paths: string[]) =>
    judgeCall(step, edit(...paths), { commandInTitle: false }).allowed;
  expect(verdict("/work/a.ts")).toBe(true);
  expect(verdict("/work/a.ts", "/store/workflow.yaml")).toBe(false);
});

it.each([
  ["the engine's tool by the name that its agent announces", "uncaged-worker_spawn", {}, true],
  [
    "another tool whose model calls it so",
    "uncaged-worker_spawn",
    { description: "uncaged-worker_spawn" },
    false,
  ],
  ["a tool of another name", "uncaged-worker_stop", {}, false],
])("a rule on a name allows, or not: %s", (_what, title, rawInput, allowed) => {
  const call = newToolCall("1", 0);
  const nothing = { name: null, content: null, locations: null, rawOutput: null, _meta: null };
  const news = { toolCallId: "1", status: "pending" as const, kind: "other" as const };
  noteNews(call, { ...nothing, ...news, title, rawInput });
  const policy = { allow: [{ kind: "other" as const, name: "*worker_spawn" }] };
  const step = { policy, storageRoot: null, home: "/home", cwd: "/work" };
  expect(judgeCall(step, call, { commandInTitle: false }).allowed).toBe(allowed);
});
