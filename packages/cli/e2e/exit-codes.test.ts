/** How a command ends: its exit code, what is on stdout, what is on stderr. */
import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BIN, type Cli, openCli, type Ran } from "./cli.test.helper.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

const plan = (more: object): string[] => ["--prompt", JSON.stringify({ steps: 1, ...more })];

/** A thread whose first step waits forever. */
const endless = plan({ gate: "never" });
const THREAD = /thread [0-9A-Z]{26}/;

describe("run", () => {
  it("prints only the thread id, so that scripts can use it", async () => {
    const { code, stdout, stderr } = await cli.run(["run", "steps", ...plan({})]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^[0-9A-Z]{26}\n$/);
  });

  it("--wait returns the thread's return code", async () => {
    const done = await cli.run(["run", "steps", "--wait", ...plan({})]);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^completed /) });
    const failed = await cli.run(["run", "steps", "--wait", "--json", ...plan({ failAt: 1 })]);
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      status: "failed",
      returnCode: 1,
      summary: "AGENT_FAILED: the worker broke at step 1",
    });
  });

  it("--wait returns 7 for a thread that waits for a person, and its question", async () => {
    const asked = await cli.run(["run", "steps", "--wait", "--json", ...plan({ suspendAt: 1 })]);
    expect(asked.code).toBe(7);
    expect(JSON.parse(asked.stdout)).toMatchObject({
      status: "suspended",
      returnCode: null,
      suspended: { role: "worker", message: "Go on after step 1?" },
    });
  });

  it("--wait returns 1 for a thread that was stopped by somebody else", async () => {
    const { code, stdout } = await cli.run(["run", "steps", "--wait", ...endless], {
      at: { stderr: THREAD, act: (match) => cli.json(["thread", "stop", match.slice(-26)]) },
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^idle {2}[0-9A-Z]{26}\nit has not ended, but nothing runs it any more\n/,
    );
    expect(stdout).toContain("continue with: uncaged-workflow thread resume");
  });

  it("--wait leaves the thread running at Ctrl-C, and says so", async () => {
    const { code, stdout, stderr } = await cli.run(
      ["run", "steps", "--wait", "--json", ...endless],
      { at: { stderr: THREAD, act: (_match, kill) => kill("SIGINT") } },
    );
    expect(code).toBe(130);
    const { threadId, status } = JSON.parse(stdout);
    expect(status).toBe("running");
    expect(stderr).toContain(`thread ${threadId} continues in the background`);
    expect((await cli.json(["thread", "kill", threadId])).status).toBe("aborted");
  });

  it("--live shows what agents say; with --json stdout stays one document", async () => {
    const live = await cli.run(["run", "steps", "--live", ...plan({})]);
    expect(live.code).toBe(0);
    expect(live.stdout).toMatch(/#1 worker .*\nworking on step 1\n/);
    expect(live.stdout.match(/^completed/gm)).toHaveLength(1);
    const json = await cli.run(["run", "steps", "--live", "--json", ...plan({})]);
    expect(JSON.parse(json.stdout)).toMatchObject({ status: "completed" });
    expect(json.stderr).toContain("working on step 1");
  });
});

describe("exec", () => {
  it("stops its step at Ctrl-C with exit code 130, and leaves the thread idle before it", async () => {
    const { threadId } = await cli.json<{ threadId: string }>([
      "run",
      "steps",
      "--idle",
      ...endless,
    ]);
    const stopped = await cli.run(["thread", "exec", threadId], {
      at: { stderr: /a bundle that prints/, act: (_match, kill) => kill("SIGINT") },
    });
    expect(stopped.code).toBe(130);
    expect(stopped.stdout).toBe(
      `stopped; the step that ran was not kept\n${threadId} is idle; next: worker\n`,
    );
  });

  it("keeps its document apart from what a bundle prints", async () => {
    const { threadId } = await cli.json<{ threadId: string }>([
      "run",
      "steps",
      "--idle",
      ...plan({}),
    ]);
    const { stdout } = await cli.run(["thread", "exec", threadId, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ nextRole: "checker", steps: [{ round: 1 }] });
  });
});

describe("live", () => {
  it("replays a thread that has ended, for one role, as lines of JSON", async () => {
    const ended = await cli.run(["run", "steps", "--wait", "--json", ...plan({})]);
    const { threadId } = JSON.parse(ended.stdout);
    const { code, stdout } = await cli.run(["live", threadId, "--role", "worker", "--json"]);
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type)).toEqual([
      "step_started",
      "agent",
      "step_completed",
      "status",
    ]);
    expect((await cli.run(["thread", "live", "--latest"])).stdout).toContain("working on step 1");
  });

  it("needs to know which thread", async () => {
    expect(await cli.fails(["live"])).toMatchObject({ exit: 2, code: "USAGE" });
    expect(await cli.fails(["live", "X", "--latest"])).toMatchObject({ exit: 2 });
  });
});

describe("the program", () => {
  /** Runs the command as if by a Node of another version. */
  const onNode = (version: string): Promise<Ran> => {
    const pretend = `data:text/javascript,Object.defineProperty(process.versions,'node',{value:'${version}'})`;
    return cli.run(["cas", "list"], { env: { NODE_OPTIONS: `--import ${pretend}` } });
  };

  it("tells an old Node what it needs, and exits 2", async () => {
    for (const version of ["18.20.4", "20.19.0", "22.17.1", "23.11.0", "24.10.0", "25.9.0"]) {
      expect(await onNode(version)).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(
          `needs Node ^22.18 || ^24.11 || >=26; this is Node ${version}`,
        ),
      });
    }
  });

  it("runs on every Node that fits", async () => {
    for (const version of ["22.18.0", "24.11.0", "26.0.0", "28.1.0"]) {
      expect(await onNode(version)).toMatchObject({ code: 0, stderr: "" });
    }
  });

  it("has a short name and says its version", async () => {
    const short = BIN.replace("uncaged-workflow.mjs", "uwf.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, [short, "--version"]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await cli.json(["--version"])).toEqual({ version: stdout.trim() });
  });
});

describe("every command", () => {
  it("exits 2 for a wrong call, and shows a correct one", async () => {
    expect(await cli.fails(["thread", "lst"])).toMatchObject({
      exit: 2,
      code: "USAGE",
      hint: "did you mean list? see: uncaged-workflow thread --help",
    });
    expect(await cli.fails(["thread", "list", "--limit", "none"])).toMatchObject({ exit: 2 });
    expect(await cli.fails(["run", "steps", "--idle", "--wait"])).toMatchObject({ exit: 2 });
  });

  it("exits 1 for something that does not exist, and names what does", async () => {
    expect(await cli.fails(["run", "stepz"])).toMatchObject({
      exit: 1,
      code: "WORKFLOW_NOT_FOUND",
      hint: "registered: steps",
    });
  });

  it("exits 6 for a thread that another process runs", async () => {
    const { threadId } = await cli.json<{ threadId: string }>(["run", "steps", ...endless]);
    for (const verb of ["exec", "resume", "rm"]) {
      expect(await cli.fails(["thread", verb, threadId])).toMatchObject({
        exit: 6,
        code: "LEASE_HELD",
      });
    }
    await cli.json(["thread", "kill", threadId]);
  });

  it("exits 5 where the storage root cannot be used", async () => {
    const { code, stderr } = await cli.run(["cas", "put", "x", "--json"], {
      env: { WORKFLOW_STORAGE_ROOT: "/dev/null/root" },
    });
    expect(code).toBe(5);
    expect(JSON.parse(stderr).error.code).toBe("STORAGE_FAILED");
  });

  it("ends quietly when its reader has seen enough", async () => {
    const { hash } = await cli.json<{ hash: string }>(["cas", "put", "-"], {
      stdin: "x".repeat(3_000_000),
    });
    const child = spawn(process.execPath, [BIN, "cas", "get", hash], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { WORKFLOW_STORAGE_ROOT: cli.root },
    });
    let stderr = "";
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  it("uses no colours when the output is not a terminal", async () => {
    const { stdout } = await cli.run(["thread", "list"]);
    expect(stdout).toMatch(/^THREAD +TITLE +WORKFLOW +STATUS +STEPS +TOKENS +COST +AGE +UPDATED\n/);
    expect(stdout).not.toContain("\u001b");
  });
});
