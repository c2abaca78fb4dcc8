import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonValue, ToolPolicy } from "@uncaged/workflow-protocol";
import { afterAll, describe, expect, it } from "vitest";
import { commandTools } from "./command-tool.ts";

const dir = realpathSync(mkdtempSync(join(tmpdir(), "uwf-command-")));
afterAll(() => rmSync(dir, { recursive: true }));
const program = join(dir, "uncaged-workflow");
writeFileSync(
  program,
  `#!/bin/sh
touch ${dir}/called
case "$1" in wait) sleep 60;; esac
echo "$PWD|$GIVEN|$#|$*|$(cat)"
echo trouble >&2
[ "$2" != fail ]
`,
);
chmodSync(program, 0o755);

function call(
  input: JsonValue,
  { policy = null, signal }: { policy?: ToolPolicy | null; signal?: AbortSignal } = {},
) {
  rmSync(join(dir, "called"), { force: true });
  const [tool] = commandTools({
    ...{ policy, cwd: dir, isolation: null, processTag: "test:command-tool" },
    env: { PATH: `${dir}:${process.env.PATH}`, GIVEN: "given" },
    signal: signal ?? new AbortController().signal,
    remainingMs: () => 30_000,
  });
  return tool?.call(input);
}

describe("a command of the engine, called as a tool", () => {
  it("runs in the folder and the environment of the step, and says how it ended", async () => {
    const args = ["task", "start", "--as", "a b"];
    expect(await call({ args, stdin: "in" })).toEqual({
      text: `exit code 0\n${dir}|given|4|task start --as a b|in\ntrouble`,
      ok: true,
    });
    expect(await call({ args: ["task", "fail"] })).toMatchObject({
      text: expect.stringContaining("exit code 1"),
      ok: false,
    });
  });

  it.each([
    [["task", "run", "--", "sh"]],
    [["workflow", "build", "x.ts"]],
    [["agent", "add", "x"]],
    [["--json", "task", "run", "--", "sh"]],
    [["task"]],
    [["task start"]],
    [["runs"]],
    [[]],
    ["task start"],
    [["task", 1]],
  ])("is refused, and nothing is run: %j", async (args) => {
    expect((await call({ args }))?.ok).toBe(false);
    expect(existsSync(join(dir, "called"))).toBe(false);
  });

  it.each([{ stdin: 1 }, { timeout_ms: 0 }, { timeout_ms: "5" }])(
    "is refused with %j",
    async (wrong) => {
      expect((await call({ args: ["run"], ...wrong }))?.ok).toBe(false);
      expect(existsSync(join(dir, "called"))).toBe(false);
    },
  );

  it("is a command to the role's policy", async () => {
    const command = ["uncaged-workflow", "run"];
    const policy: ToolPolicy = { deny: [{ kind: "execute", command }] };
    expect(await call({ args: ["run"] }, { policy })).toMatchObject({
      text: expect.stringContaining("is denied to this role"),
      ok: false,
    });
    expect((await call({ args: ["task", "board"] }, { policy }))?.ok).toBe(true);
    expect(await call({ args: ["run"] }, { policy: { allow: [{ kind: "read" }] } })).toBe(
      undefined,
    );
  });

  it("ends when its time is up, and with the step", async () => {
    expect(await call({ args: ["wait"], timeout_ms: 300 })).toEqual({
      text: "it was ended after 300 ms",
      ok: false,
    });
    const signal = AbortSignal.timeout(300);
    expect((await call({ args: ["wait"] }, { signal }))?.ok).toBe(false);
  });
});
