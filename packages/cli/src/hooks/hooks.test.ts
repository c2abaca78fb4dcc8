import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROCESS_TAG_ENV } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readStored } from "../cas/get.ts";
import type { Output } from "../command/command.ts";
import { type FakeIo, fakeIo } from "../command/io.test.helper.ts";
import { context } from "./context.ts";
import { install, uninstall } from "./install.ts";
import { log } from "./log.ts";
import { record } from "./record.ts";

const THREAD = "01KAJ2Z6PVX0000000000000ZZ";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hooks "));
});
afterEach(() => rm(folder, { recursive: true }));

function world(stdin?: string, env: NodeJS.ProcessEnv = {}): FakeIo {
  const all = { UNCAGED_WORKFLOW_STORAGE_ROOT: join(folder, "root"), HOME: folder, ...env };
  return {
    ...fakeIo({ env: all, nowMs: 5_000, ...(stdin === undefined ? {} : { stdin }) }),
    cwd: folder,
  };
}

async function said(
  result: ReturnType<typeof record>,
): Promise<{ document: unknown; text: string }> {
  const { ok, ...rest } = await result;
  if (!ok || !("value" in rest)) throw new Error(JSON.stringify(rest));
  const output: Output = rest.value;
  if (!("document" in output)) throw new Error("nothing to look at");
  return { document: output.document, text: "verbatim" in output ? output.verbatim : "" };
}

const ended = (more: object = {}): string =>
  JSON.stringify({
    session_id: "5e55-1",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: "t1",
    tool_input: { command: "npm test" },
    tool_response: { stdout: "token is s3cr3t-s3cr3t", stderr: "" },
    duration_ms: 7,
    ...more,
  });

describe("hooks record", () => {
  it("stores a call, without secrets, and logs its hash", async () => {
    const env = { UNCAGED_THREAD_ID: THREAD, MY_TOKEN: "s3cr3t-s3cr3t" };
    const { document, text } = await said(record(world(ended(), env)));
    expect(text).toBe("");
    const { hash } = JSON.parse(JSON.stringify(document));
    const stored = await readStored(hash, world());
    expect(stored.ok && stored.value).toContain("token is [MY_TOKEN]");
    expect((await said(log("5e5", world()))).document).toEqual({
      session: "5e55-1",
      calls: [
        {
          timestamp: 5_000,
          threadId: THREAD,
          name: "Bash",
          kind: "execute",
          subject: "npm test",
          ok: true,
          exitCode: 0,
          durationMs: 7,
          hash,
        },
      ],
    });
    expect((await said(log(null, world()))).document).toEqual({
      sessions: [{ session: "5e55-1", threadId: THREAD, calls: 1, lastAt: 5_000 }],
    });
  });

  it.each([
    ["nothing", ""],
    ["no JSON", "{"],
    ["another event", JSON.stringify({ session_id: "s", hook_event_name: "Stop" })],
    ["a session whose name is a path", ended({ session_id: "../x" })],
  ])("never fails on %s", async (_what, stdin) => {
    expect(await said(record(world(stdin)))).toEqual({ document: { hash: null }, text: "" });
    expect((await said(log(null, world()))).document).toEqual({ sessions: [] });
  });

  it("never fails, even when nothing can be written", async () => {
    await writeFile(join(folder, "root"), "a file where the storage root should be");
    expect((await said(record(world(ended())))).document).toEqual({ hash: null });
  });

  it("leaves sessions run by the engine to the engine", async () => {
    const { document } = await said(record(world(ended(), { [PROCESS_TAG_ENV]: "T:1:x" })));
    expect(document).toEqual({ hash: null });
  });
});

describe("hooks context", () => {
  it("names the thread and how to read it again", async () => {
    const { text } = await said(context(world(undefined, { UNCAGED_THREAD_ID: THREAD })));
    expect(text).toContain(`uncaged-workflow thread context ${THREAD}`);
  });

  it.each([
    ["there is no thread", {}],
    ["the thread id is invalid", { UNCAGED_THREAD_ID: "x; rm -rf ~" }],
    ["the engine runs the session", { UNCAGED_THREAD_ID: THREAD, [PROCESS_TAG_ENV]: "T:1:x" }],
  ])("says nothing when %s", async (_why, env) => {
    expect((await said(context(world(undefined, env)))).text).toBe("");
  });
});

describe("hooks log", () => {
  it("refuses an unknown or ambiguous session", async () => {
    await record(world(ended()));
    await record(world(ended({ session_id: "5e55-2" })));
    expect(await log("nope", world())).toMatchObject({ ok: false, error: { code: "USAGE" } });
    expect(await log("5e55", world())).toMatchObject({ ok: false, error: { code: "USAGE" } });
  });
});

describe("hooks install", () => {
  const user = { scope: null, file: null };

  it("edits the user's settings, and uninstall undoes it", async () => {
    const file = join(folder, ".claude", "settings.json");
    expect((await said(install(user, world()))).document).toEqual({ file, changed: true });
    expect((await said(install(user, world()))).document).toEqual({ file, changed: false });
    expect(JSON.parse(await readFile(file, "utf8")).hooks).toHaveProperty("PreCompact");
    expect((await said(uninstall(user, world()))).document).toEqual({ file, changed: true });
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({});
  });

  it("keeps a linked file linked, with its permissions", async () => {
    await mkdir(join(folder, ".claude"));
    const target = join(folder, "dotfile.json");
    await writeFile(target, "{}");
    await chmod(target, 0o640);
    const link = join(folder, ".claude", "settings.json");
    await symlink(target, link);
    await install({ scope: "project", file: null }, world());
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect((await stat(target)).mode & 0o777).toBe(0o640);
    expect(await readFile(target, "utf8")).toContain("hooks record");
  });

  it("leaves a file that it cannot parse unchanged", async () => {
    const file = join(folder, "odd.json");
    await writeFile(file, "{ // mine\n}");
    expect(await install({ scope: null, file: "odd.json" }, world())).toMatchObject({ ok: false });
    expect(await readFile(file, "utf8")).toBe("{ // mine\n}");
  });

  it("refuses contradictory options", async () => {
    await expect(install({ scope: "user", file: "x" }, world())).rejects.toMatchObject({
      failure: { code: "USAGE" },
    });
  });
});
