/** Whatever a command prints for people, only our own colours steer the terminal; its JSON is exact. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Cli, openCli, type Ran, type RunOptions } from "./cli.test.helper.ts";

/** OSC 52 (writes the clipboard), CSI in both forms, a colour that we do not use, a lone carriage return, bidirectional
 *  controls and line separators. */
const HOSTILE = "\u001b]52;c;aGk=\u0007\u001b[2J\u009b2J\u001b[35m\r\b\u202e\u2066\u2028end";
const YAML = `name: ${JSON.stringify(HOSTILE)}\nroles: [${JSON.stringify(HOSTILE)}]\n`;
const TERMINAL = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    "for (const stream of [process.stdout, process.stderr]) { stream.isTTY = true; stream.columns = 100; }",
  )}`,
};

let cli: Cli;
/** Path whose names are hostile. */
let folder = "";
let yaml = "";
let [done, failed, asking, idle] = ["", "", "", ""];
/** Hash of a role's output. */
let content = "";

beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps", `works ${HOSTILE}`);
  const thread = async (plan: object): Promise<string> => {
    const prompt = JSON.stringify({ steps: 1, says: HOSTILE, ...plan });
    const { stdout } = await cli.run(["--json", "run", "steps", "--wait", "-p", prompt]);
    const { threadId }: { threadId: string } = JSON.parse(stdout);
    return threadId;
  };
  [done, failed, asking] = [
    await thread({}),
    await thread({ failAt: 1 }),
    await thread({ suspendAt: 1 }),
  ];
  const made = await cli.json<{ threadId: string }>(["run", "steps", "--idle", "-p", HOSTILE]);
  idle = made.threadId;
  content = (await show(done)).steps[0]?.contentHash ?? "";
  folder = join(cli.dir, HOSTILE);
  mkdirSync(folder);
  yaml = join(folder, `${HOSTILE}.yaml`);
  writeFileSync(yaml, YAML);
});
afterAll(() => cli.close());

function show(id: string): Promise<ThreadView> {
  return cli.json<ThreadView>(["thread", "show", id]);
}

/** Commands that show what others said. */
function views(): (readonly string[])[] {
  return [
    ...[done, failed, asking, idle].flatMap((id) => [
      ["thread", "show", id],
      ["live", id],
    ]),
    ["thread", "context", done],
    ["thread", "context", asking],
    ["completion", "--list", "threads", "--described"],
    ["workflow", "show", "steps"],
    ["cas", "show", content],
  ];
}

/** Commands that get hostile names as arguments, or show less. */
function others(): (readonly string[])[] {
  const at = (name: string): string => join(folder, name);
  return [
    ["thread", "list"],
    ["thread", "ps"],
    ["thread", "diff", done, failed],
    ["thread", "verify", done],
    ["thread", "bisect", done, "--", "false"],
    ["thread", "export", done, "--out", at("e.tar")],
    ["thread", "export", done, "--out", at("none/e.tar")],
    ["thread", "attest", done, "--out", at("a.json")],
    ["thread", "attest", done, "--key", at("no.key")],
    ["thread", "import", at("no.tar")],
    ["thread", "import", yaml],
    ["thread", "fork", idle, "-p", HOSTILE],
    ["thread", "resume", HOSTILE],
    ["thread", HOSTILE],
    ["thread", "show", done, `--${HOSTILE}`],
    ["run", HOSTILE],
    ["run", "steps", "--prompt-file", at("no.md")],
    ["run", "steps", "--wait", "-p", JSON.stringify({ steps: 1, says: HOSTILE })],
    ["run", "steps", "--agent", HOSTILE, "-p", "x"],
    ["workflow", "list"],
    ["workflow", "show", "steps", "--graph"],
    ["workflow", "history", "steps"],
    ["workflow", "show", HOSTILE],
    ["workflow", "build", yaml],
    ["workflow", "build", join(cli.dir, "flow", "steps.mjs"), "--out", at("steps.esm.js")],
    ["workflow", "add", "other", yaml],
    ["workflow", "add", HOSTILE, yaml],
    ["workflow", "check", "steps", yaml],
    ["cas", "list"],
    ["cas", "fsck"],
    ["cas", "get", HOSTILE],
    ["init", at("new")],
    ["init", yaml],
    ["agent", "list"],
    ["agent", "add", at("agent")],
    ["hooks", "install", "--file", at("settings.json")],
    ["hooks", "uninstall", "--file", at("settings.json")],
    ["hooks", "log"],
    ["setup", "--model", HOSTILE, "--skip-test"],
    ["skill", HOSTILE],
    ["doctor"],
    [HOSTILE],
  ];
}

const STEERING = /[^\P{Cc}\n\t]|[\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
const ESCAPE = "\u001b";
/** What `style.ts` paints with (bold, dim, red, green, yellow, cyan, and back), and what erases the line that says how far
 *  a command has come, if that takes a while. */
const OURS = new RegExp(`${ESCAPE}\\[(?:1|2|22|3[1236]|39)m|\r${ESCAPE}\\[K`, "g");

async function eachCalled(
  calls: readonly (readonly string[])[],
  opts: RunOptions,
  look: (args: readonly string[], ran: Ran) => void,
): Promise<void> {
  for (const args of calls) look(args, await cli.run(args, opts));
}

function steered(args: readonly string[], { stdout, stderr }: Ran): void {
  const said = stdout + stderr;
  const left = said.replaceAll(OURS, "");
  const at = left.search(STEERING);
  expect([args, at === -1 ? "" : left.slice(Math.max(0, at - 60), at + 20)]).toEqual([args, ""]);
}

describe("text for people", () => {
  it("never controls the terminal", async () => {
    await eachCalled([...views(), ...others()], { env: TERMINAL }, steered);
    const exact = await cli.run(["cas", "get", "--payload", content], { env: TERMINAL });
    steered(["cas", "get"], exact);
  });

  it("has no control characters in a file or a pipe", async () => {
    await eachCalled(views(), {}, (args, ran) => {
      steered(args, ran);
      expect(ran.stdout + ran.stderr).not.toContain(ESCAPE);
    });
  });

  it("is coloured on a terminal", async () => {
    const { stdout } = await cli.run(["thread", "list"], { env: TERMINAL });
    expect(stdout).toMatch(OURS);
  });
});

describe("JSON", () => {
  it("contains the exact text, and does not control the terminal either", async () => {
    const shown = await cli.run(["--json", "thread", "show", idle], { env: TERMINAL });
    const view: ThreadView = JSON.parse(shown.stdout);
    expect(view.start.prompt).toBe(HOSTILE);
    expect((await show(done)).steps[0]?.content).toBe(HOSTILE);
    const live = await cli.run(["--json", "live", failed], { env: TERMINAL });
    const items: { summary?: string }[] = live.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(items.at(-1)?.summary).toContain(HOSTILE);
    const refused = await cli.run(["--json", "run", HOSTILE], { env: TERMINAL });
    expect(JSON.parse(refused.stderr).error.code).toBe("WORKFLOW_NOT_FOUND");
    for (const ran of [shown, live, refused]) {
      expect(ran.stdout + ran.stderr).not.toMatch(STEERING);
    }
  });
});
