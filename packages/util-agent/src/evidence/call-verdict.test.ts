import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ToolKind } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { callVerdict } from "./call-verdict.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "call-verdict-")));
  mkdirSync(join(folder, "root/agents/t/coder"), { recursive: true });
  mkdirSync(join(folder, "root/work"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function allows(subject: string, about: { cwd?: string; kind?: ToolKind } = {}): boolean {
  const storageRoot = join(folder, "root");
  const home = join(storageRoot, "agents/t/coder");
  const { cwd = folder, kind = "edit" } = about;
  const step = { policy: null, storageRoot, home, cwd };
  return callVerdict(step, { name: "Write", kind, subject }).allowed;
}

it("no agent writes into the engine's storage, whatever its role's policy", () => {
  for (const name of ["workflow.yaml", "index.db", "cas/new/file.txt", "agents/t/reviewer/x"])
    expect(allows(join(folder, "root", name)), name).toBe(false);
  for (const kind of ["delete", "move"] as const)
    expect(allows(join(folder, "root/index.db"), { kind })).toBe(false);
  expect(allows(join(folder, "root/index.db"), { kind: "read" })).toBe(true);
  expect(allows(join(folder, "rooted.txt"))).toBe(true);
});

it("a path counts by where it leads", () => {
  symlinkSync(join(folder, "root"), join(folder, "link"));
  expect(allows(join(folder, "link/workflow.yaml"))).toBe(false);
  expect(allows("root/workflow.yaml")).toBe(false);
  expect(allows("root/agents/t/coder/../reviewer/settings.json")).toBe(false);
});

it("its private folder is its own, and so is the directory that it works in", () => {
  expect(allows(join(folder, "root/agents/t/coder/memory/new.md"))).toBe(true);
  expect(allows("a.ts", { cwd: join(folder, "root/work") })).toBe(true);
  expect(allows("../workflow.yaml", { cwd: join(folder, "root/work") })).toBe(false);
  expect(allows("workflow.yaml", { cwd: join(folder, "root") })).toBe(false);
});

it("a worker starts no agents of its own unless its role names the tool; a shared folder is open to it", () => {
  const storageRoot = join(folder, "root");
  const scratch = join(storageRoot, "agents/t/.scratch");
  mkdirSync(scratch);
  const step = {
    policy: null,
    storageRoot,
    home: join(storageRoot, "agents/t/coder"),
    cwd: folder,
  };
  const agent = { name: "Agent", kind: "other", subject: "" } as const;
  expect(callVerdict(step, agent).allowed).toBe(true);
  for (const name of ["Agent", "Task", "spawn_agent"])
    expect(callVerdict({ ...step, isWorker: true }, { ...agent, name })).toMatchObject({
      allowed: false,
      reason: expect.stringContaining(`${name} starts another agent`),
    });
  const named = { allow: [{ name: "Agent" }] };
  expect(callVerdict({ ...step, isWorker: true, policy: named }, agent).allowed).toBe(true);
  expect(callVerdict({ ...step, isWorker: true }, { ...agent, name: "Read" }).allowed).toBe(true);
  const write = { name: "Write", kind: "edit", subject: join(scratch, "note.md") } as const;
  expect(callVerdict(step, write).allowed).toBe(false);
  expect(callVerdict({ ...step, scratch }, write).allowed).toBe(true);
});
