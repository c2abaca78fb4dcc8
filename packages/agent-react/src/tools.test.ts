import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolOutcome, ToolScope } from "./tool.ts";
import { toolsOf } from "./tools.ts";

const MARK = `test-tools-${process.pid}:1`;
const SLOW_MS = 60_000;

let cwd = "";
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "agent-react-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

function scope(about: Partial<ToolScope> = {}): ToolScope {
  return {
    cwd,
    env: { PATH: process.env.PATH ?? "" },
    isolation: null,
    processTag: MARK,
    signal: new AbortController().signal,
    limits: { timeoutMs: null, idleTimeoutMs: 60_000 },
    emit: () => {},
    shellTimeoutMs: 60_000,
    ...about,
  };
}

async function use(name: string, input: unknown, about?: Partial<ToolScope>): Promise<ToolOutcome> {
  const tool = toolsOf({}).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return (await tool.plan(input, scope(about))).run();
}

describe("read_file", () => {
  it("returns a text, and the names in a folder", async () => {
    await mkdir(join(cwd, "src"));
    await writeFile(join(cwd, "a.txt"), "héllo\n");
    expect(await use("read_file", { path: "a.txt" })).toMatchObject({
      output: "héllo\n",
      ok: true,
    });
    expect((await use("read_file", { path: "." })).output).toBe("a.txt\nsrc/");
  });

  it("returns a long file piece by piece, and cuts no character in two", async () => {
    const text = `x${"€".repeat(40_000)}`;
    await writeFile(join(cwd, "long.txt"), text);
    let read = "";
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const { output } = await use("read_file", { path: "long.txt", offset });
      const more = /\n\[… bytes \d+ to \d+ of 120001; continue at offset (\d+) …\]$/.exec(output);
      read += more === null ? output : output.slice(0, more.index);
      offset = more === null ? undefined : Number(more[1]);
    }
    expect(read).toBe(text);
  });

  it("refuses what is not text", async () => {
    await writeFile(join(cwd, "a.bin"), Buffer.from([1, 0, 2]));
    await expect(use("read_file", { path: "a.bin" })).rejects.toThrow("not text");
  });
});

describe("write_file", () => {
  it("makes the folders, replaces all, keeps the mode, and leaves no draft", async () => {
    await use("write_file", { path: "deep/down/run.sh", content: "one" });
    await chmod(join(cwd, "deep/down/run.sh"), 0o777);
    await use("write_file", { path: "deep/down/run.sh", content: "two" });
    expect(await readFile(join(cwd, "deep/down/run.sh"), "utf8")).toBe("two");
    expect((await stat(join(cwd, "deep/down/run.sh"))).mode & 0o777).toBe(0o777);
    expect(await readdir(join(cwd, "deep/down"))).toEqual(["run.sh"]);
  });

  it("refuses a folder, and arguments that do not fit", async () => {
    await mkdir(join(cwd, "src"));
    await expect(use("write_file", { path: "src", content: "" })).rejects.toThrow("folder");
    await expect(use("write_file", { path: ".", content: "" })).rejects.toThrow("folder");
    await expect(use("write_file", { path: "a" })).rejects.toThrow("content");
  });
});

describe("patch_file", () => {
  it("replaces the one place", async () => {
    await writeFile(join(cwd, "a.txt"), "one two three");
    await use("patch_file", { path: "a.txt", old_text: "two", new_text: "$& 2" });
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("one $& 2 three");
  });

  it("changes nothing when the text does not occur, or occurs twice", async () => {
    await writeFile(join(cwd, "a.txt"), "aaa");
    const patch = (old_text: string): Promise<unknown> =>
      use("patch_file", { path: "a.txt", old_text, new_text: "b" });
    await expect(patch("x")).rejects.toThrow("does not occur");
    await expect(patch("aa")).rejects.toThrow("more than once");
    expect(await readFile(join(cwd, "a.txt"), "utf8")).toBe("aaa");
  });

  it("does not patch what is not UTF-8", async () => {
    const bytes = Buffer.from([0x61, 0xff, 0x62]);
    await writeFile(join(cwd, "a.txt"), bytes);
    await expect(
      use("patch_file", { path: "a.txt", old_text: "a", new_text: "b" }),
    ).rejects.toThrow();
    expect(await readFile(join(cwd, "a.txt"))).toEqual(bytes);
  });
});

describe("shell_exec", { timeout: SLOW_MS }, () => {
  it("returns exit code and output of a command in the working directory", async () => {
    const command = "pwd; echo no >&2; exit 3";
    const { output, ok, exitCode } = await use("shell_exec", { command });
    expect({ ok, exitCode }).toEqual({ ok: false, exitCode: 3 });
    expect(output).toContain("exit code 3");
    expect(output).toContain(cwd);
    expect(output).toContain("no");
  });

  it("keeps the beginning and the end of a flood", async () => {
    const command = "echo first; yes | head -c 5000000; echo last";
    const { output } = await use("shell_exec", { command });
    expect(output.length).toBeLessThan(40_000);
    expect(output).toMatch(/first.*bytes left out.*last/s);
  });

  it("ends a command that takes too long, and what one leaves running", async () => {
    const slow = await use("shell_exec", { command: "tail -f /dev/null", timeout_ms: 200 });
    expect(slow).toMatchObject({ ok: false });
    expect(slow.output).toContain("did not finish within 200 ms");
    const left = await use("shell_exec", {
      command: "tail -f /dev/null >/dev/null 2>&1 & echo $! > pid",
    });
    expect(left).toMatchObject({ ok: true, exitCode: 0 });
    expect(left.output).toContain("1 processes that it left running were ended");
  });

  it("refuses a command that no system call takes", async () => {
    const command = `true ${"x".repeat(140_000)}`;
    await expect(use("shell_exec", { command })).rejects.toThrow("too long");
  });
});

describe("toolsOf", () => {
  it("has no tool that runs commands when that is switched off", () => {
    expect(toolsOf({ shell: false }).map(({ name }) => name)).toEqual([
      "read_file",
      "write_file",
      "patch_file",
    ]);
  });

  it("describes its arguments as JSON Schemas of objects", () => {
    for (const { parameters } of toolsOf({})) {
      expect(parameters).toMatchObject({ type: "object" });
      expect(parameters).not.toHaveProperty("$schema");
    }
  });
});
