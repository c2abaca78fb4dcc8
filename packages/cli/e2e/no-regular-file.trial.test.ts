/** Anything but a regular file in a file's place never blocks a command: FIFOs, devices, links to them. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, type Cli, openCli } from "./cli.test.helper.ts";
import { untilClosed } from "./until-thread.test.helper.ts";

let cli: Cli;
let threadId = "";
let head = "";
let bundle = "";
beforeAll(async () => {
  cli = openCli();
  ({ hash: bundle } = await cli.addSteps("steps"));
  ({ threadId } = await cli.json<{ threadId: string }>(["run", "steps", "-p", "{}", "--wait"]));
  ({ head } = await cli.json<{ head: string }>(["thread", "show", threadId]));
  await untilClosed(cli.root);
});
afterAll(() => cli.close());

/** Far longer than any of the commands takes. */
const WITHIN_MS = 60_000;

function run(
  words: readonly string[],
  root: string,
  input = "",
): { exit: number | null; said: string } {
  const { status, stderr, stdout } = spawnSync(process.execPath, [BIN, ...words, "--json"], {
    cwd: cli.dir,
    encoding: "utf8",
    input,
    timeout: WITHIN_MS,
    killSignal: "SIGKILL",
    env: { PATH: process.env.PATH, HOME: cli.dir, WORKFLOW_STORAGE_ROOT: root },
  });
  return { exit: status, said: `${stdout}${stderr}` };
}

const MKFIFO = 'mkfifo "$0"';

/** What replaces a file. */
const STRANGERS: { readonly [name: string]: (path: string) => void } = {
  "a FIFO": (path) => void execFileSync("/bin/sh", ["-c", MKFIFO, path]),
  "a link to a FIFO": (path) => {
    execFileSync("/bin/sh", ["-c", MKFIFO, `${path}.fifo`]);
    symlinkSync(`${path}.fifo`, path);
  },
  "a link to a device without an end": (path) => symlinkSync("/dev/zero", path),
  "a directory": (path) => void mkdirSync(path),
};

describe.each(Object.keys(STRANGERS))("%s", (name) => {
  let root = "";
  const put = (path: string): string => {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(join(path, ".."), { recursive: true });
    STRANGERS[name]?.(path);
    return path;
  };
  const fresh = (): string => {
    root = join(cli.dir, `root-${name.replaceAll(" ", "-")}`);
    rmSync(root, { recursive: true, force: true });
    cpSync(cli.root, root, { recursive: true });
    return root;
  };

  it("in the place of a blob counts as damage for every reader", () => {
    put(join(fresh(), "cas", `${head}.txt`));
    for (const words of [
      ["cas", "get", head],
      ["cas", "show", head],
      ["thread", "show", threadId],
      ["thread", "verify", threadId],
      ["thread", "export", threadId, "--out", join(root, "out.tar")],
      ["cas", "gc"],
      ["cas", "fsck"],
    ]) {
      const { exit, said } = run(words, root);
      expect([words.join(" "), exit, said]).toEqual([
        words.join(" "),
        5,
        expect.stringContaining("CAS_CORRUPT"),
      ]);
    }
  });

  it("in the place of a blob that is put again is replaced, or refused", () => {
    const { hash } = JSON.parse(run(["cas", "put", "once more"], fresh()).said);
    put(join(root, "cas", `${hash}.txt`));
    const { exit, said } = run(["cas", "put", "once more"], root);
    if (exit === 5) expect(said).toContain("CAS_CORRUPT");
    else expect(run(["cas", "get", hash, "--payload"], root).said).toContain("once more");
  });

  it.each(["bundle.esm.js", "descriptor.json", "build.json"])(
    "in the place of %s stops the run",
    (part) => {
      put(join(fresh(), "bundles", bundle, part));
      const { exit, said } = run(["run", "steps", "-p", "{}", "--wait"], root);
      expect([exit, said]).toEqual([5, expect.stringContaining("STORAGE_FAILED")]);
    },
  );

  it("in the place of workflow.yaml is reported", () => {
    put(join(fresh(), "workflow.yaml"));
    const { exit, said } = run(["workflow", "list"], root);
    expect([exit, said]).toEqual([5, expect.stringContaining("STORAGE_FAILED")]);
  });

  it("given as a file is refused by every flag that takes one", () => {
    const file = put(join(fresh(), "strange.yaml"));
    const steps = JSON.stringify({ steps: 1 });
    for (const [exitCode, ...words] of [
      [2, "thread", "attest", threadId, "--key", file],
      [2, "thread", "verify", threadId, "--attestation", file, "--public-key", file],
      [5, "thread", "verify", threadId, "--export", file],
      [5, "thread", "import", file],
      [1, "workflow", "add", "strange", file],
      [2, "run", "steps", "--prompt-file", file],
      [2, "run", "steps", "-p", steps, "--dry-run", "--stubs", file],
    ] as const) {
      const { exit, said } = run(words, root);
      expect([words.join(" "), exit]).toEqual([words.join(" "), exitCode]);
      expect(said).not.toContain("INTERNAL");
    }
  });

  it("in the place of a session's file costs its line and blocks nobody", () => {
    const session = "8f14e45f";
    put(join(fresh(), "sessions", `${session}.jsonl`));
    const call = {
      hook_event_name: "PostToolUse",
      session_id: session,
      tool_name: "Bash",
      tool_input: { command: "true" },
      tool_response: { stdout: "" },
    };
    expect(run(["hooks", "record"], root, JSON.stringify(call)).exit).toBe(0);
    expect(run(["hooks", "log"], root).exit).not.toBe(null);
  });

  it("in the place of a history file stops every reader of it", () => {
    const folder = join(fresh(), "bundles", bundle, "history");
    const [day = ""] = readdirSync(folder);
    put(join(folder, day));
    const { exit, said } = run(["cas", "gc"], root);
    expect([exit, said]).toEqual([5, expect.stringContaining("STORAGE_FAILED")]);
    expect(existsSync(join(root, "cas", `${head}.txt`))).toBe(true);
  });
});
