/** The life of a thread on a different major version of Node than the other tests use. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type OtherNode, otherNode } from "./other-node.test.helper.ts";

const BIN = fileURLToPath(new URL("../bin/uncaged-workflow.mjs", import.meta.url));
const SCAFFOLD = fileURLToPath(new URL("../scaffold/minimal/src/workflow.ts", import.meta.url));

let folder = "";
let node: OtherNode;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "uwf-other-node-"));
  node = await otherNode();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The JSON document of a command that prints nothing else. */
async function json<T>(...args: string[]): Promise<T> {
  const { stdout, stderr } = await promisify(execFile)(node.executable, [BIN, ...args, "--json"], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, WORKFLOW_STORAGE_ROOT: join(folder, "root") },
  });
  expect(stderr).toBe("");
  const document: T = JSON.parse(stdout);
  return document;
}

it("builds, registers, runs step by step, verifies and inspects, with nothing on stderr", async () => {
  const out = join(folder, "flow.esm.js");
  await json("workflow", "build", SCAFFOLD, "--out", out);
  await json("workflow", "add", "flow", out);
  const { threadId } = await json<{ threadId: string }>("run", "flow", "--idle", "-p", "a b c");
  expect(await json("thread", "exec", threadId)).toMatchObject({ nextRole: "editor" });
  await json("thread", "resume", threadId);
  let status = "running";
  while (status === "running") {
    ({ status } = await json<{ status: string }>("thread", "show", threadId));
  }
  expect(status).toBe("completed");
  expect(await json("thread", "verify", threadId)).toMatchObject({ ok: true });
  const { checks } = await json<{ checks: { name: string; message: string }[] }>("doctor");
  expect(checks[0]?.message).toContain(`Node ${node.version}`);
});
