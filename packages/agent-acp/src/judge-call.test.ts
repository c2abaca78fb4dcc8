import { expect, it } from "vitest";
import { judgeCall } from "./judge-call.ts";
import { newToolCall } from "./tool-call.ts";

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
