import { describe, expect, it } from "vitest";
import { toolCall } from "./tool-call.ts";

describe("a call of a tool", () => {
  it.each([
    ["Bash", { command: "npm test", description: "x" }, "execute", "npm test"],
    ["Monitor", { command: "tail -f log" }, "execute", "tail -f log"],
    ["Read", { file_path: "/a", limit: 3 }, "read", "/a"],
    ["Write", { file_path: "/b", content: "c" }, "edit", "/b"],
    ["NotebookEdit", { notebook_path: "/n.ipynb" }, "edit", "/n.ipynb"],
    ["WebFetch", { url: "https://a.example/", prompt: "p" }, "fetch", "https://a.example/"],
    ["Agent", { prompt: "p" }, "think", '{"prompt":"p"}'],
  ])("%s is described by its subject", (name, input, kind, subject) => {
    expect(toolCall(name, input)).toEqual({ name, kind, subject, input });
  });

  it("of an unknown tool is `other`, and its subject is its whole input", () => {
    expect(toolCall("mcp__db__drop", { table: "t" })).toMatchObject({
      kind: "other",
      subject: '{"table":"t"}',
    });
  });

  it("whose input is not valid for the tool has that input as its subject", () => {
    expect(toolCall("Bash", { command: ["rm"] }).subject).toBe('{"command":["rm"]}');
    expect(toolCall("Bash", null).subject).toBe("null");
    expect(toolCall("Bash", "rm").subject).toBe('"rm"');
  });
});
