import { mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "@uncaged/workflow-protocol";
import type { AgentConversation, AgentStep, TurnResult } from "@uncaged/workflow-util-agent";
import {
  type StandInDeed as Deed,
  fakeStep,
  type StandIn,
} from "@uncaged/workflow-util-agent/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HermesConfig } from "./hermes-config.ts";
import { openHermes } from "./hermes-conversation.ts";
import { standIn } from "./stand-in.test.helper.ts";

vi.setConfig({ testTimeout: 30_000 });

const ID = "20260919_202407_57384d";

let folder: string;
let hermes: StandIn;
let events: AgentEvent[];
let stop: AbortController;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hermes's folder "));
  hermes = await standIn(folder);
  events = [];
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await rm(folder, { recursive: true });
});

function converse(
  step: Partial<AgentStep> = {},
  config: HermesConfig = {},
): Promise<AgentConversation> {
  return openHermes(
    { command: hermes.command, model: "m", ...config },
    fakeStep(folder, {
      signal: stop.signal,
      emit: (event) => events.push(event),
      ...step,
    }),
  );
}

async function turn(deeds: readonly Deed[], step: Partial<AgentStep> = {}): Promise<TurnResult> {
  return (await converse(step)).turn(JSON.stringify(deeds));
}

const answer: Deed = { raw: "It is done.\n" };
const named: Deed = { stderr: `session_id: ${ID}` };

describe("a turn", () => {
  it("is the answer on stdout, in the session named on stderr", async () => {
    expect(await turn([answer, named])).toEqual({
      outcome: "ok",
      reason: "",
      sessionLost: false,
      session: ID,
      text: "It is done.",
      structured: undefined,
      usage: null,
      rawUsage: null,
      denials: 0,
    });
    expect(events).toEqual([{ type: "text", text: "It is done.\n" }]);
  });

  it("is started with these arguments, and a prompt of 2 MB on stdin", async () => {
    await (await converse()).turn("x".repeat(2_000_000));
    const { argv, stdinChars, cwd } = await hermes.start();
    expect(argv).toEqual([
      "chat",
      "-Q",
      "--query-file",
      "-",
      "--yolo",
      "--max-turns",
      "90",
      "--model",
      "m",
    ]);
    expect(stdinChars).toBe(2_000_000);
    expect(cwd).toBe(folder);
  });

  it("continues in the session of the previous turn", async () => {
    const conversation = await converse();
    await conversation.turn(JSON.stringify([answer, named]));
    // A version that does not repeat the id has not changed it.
    const second = await conversation.turn(JSON.stringify([answer]));
    expect((await hermes.start(0)).argv).not.toContain("--resume");
    expect((await hermes.start(1)).argv.slice(-2)).toEqual(["--resume", ID]);
    expect(second.session).toBe(ID);
  });
});

describe("its configuration", () => {
  it("is a private folder with the user's login lent and the settings copied to it", async () => {
    const own = join(folder, ".hermes");
    await mkdir(join(own, "memories"), { recursive: true });
    await writeFile(join(own, ".env"), "KEY=1");
    await writeFile(join(own, "config.yaml"), "model: m");
    await turn([answer]);
    const home = join(folder, "home");
    expect((await hermes.start()).env.HERMES_HOME).toBe(home);
    expect(await readlink(join(home, ".env"))).toBe(join(own, ".env"));
    expect((await readdir(home)).toSorted()).toEqual([".env", "config.yaml"]);
    await writeFile(join(home, "config.yaml"), "model: other");
    expect(await readFile(join(own, "config.yaml"), "utf8")).toBe("model: m");
  });

  it("is the user's own when the binding says so", async () => {
    await (await converse({}, { config: "user" })).turn("[]");
    expect((await hermes.start()).env).not.toHaveProperty("HERMES_HOME");
  });
});

describe("a lost session", () => {
  it("is one that Hermes does not find", async () => {
    const deeds: Deed[] = [{ stderr: `Session not found: ${ID}` }, { exit: 1 }];
    expect(await turn(deeds, { session: ID })).toMatchObject({ sessionLost: true, session: null });
    expect(await turn(deeds)).toMatchObject({ sessionLost: false, outcome: "crashed" });
  });

  it("is one that it finds empty, though it answers", async () => {
    const empty: Deed = { stderr: `Session ${ID} found but has no messages. Starting fresh.` };
    expect(await turn([empty, answer, named], { session: ID })).toMatchObject({
      sessionLost: true,
      session: null,
    });
  });
});

describe("a turn that failed", () => {
  it.each<[string, string, Deed[]]>([
    ["crashed", "no answer", [named]],
    ["crashed", "exit code 1", [{ stderr: "boom" }, { exit: 1 }]],
    ["rate_limited", "429", [{ stderr: "HTTP 429 Too Many Requests" }, { exit: 1 }]],
    ["auth", "API key", [{ stderr: "Invalid API key" }, { exit: 1 }]],
  ])("is %s, with its words: %s", async (outcome, words, deeds) => {
    const result = await turn(deeds);
    expect(result.outcome).toBe(outcome);
    expect(result.reason).toContain(words);
  });

  it("is a timeout when it is silent, or too slow", async () => {
    const idle = { timeoutMs: null, idleTimeoutMs: 300 };
    expect(await turn([{ hang: true }], { limits: idle })).toMatchObject({ outcome: "timeout" });
    const total = { timeoutMs: 300, idleTimeoutMs: 20_000 };
    expect(await turn([{ hang: true }], { limits: total })).toMatchObject({ outcome: "timeout" });
  });
});

describe("a thread that is stopped", () => {
  it("leaves nothing of the turn", async () => {
    const running = turn([{ deaf: true }, { daemon: true }, { hang: true }]);
    await expect.poll(() => hermes.starts(), { timeout: 5_000 }).toHaveLength(1);
    const { daemon = 0 } = await hermes.start();
    stop.abort();
    expect(await running).toMatchObject({ outcome: "cancelled" });
    const state = await readFile(`/proc/${daemon}/stat`, "utf8").catch(() => ") Z");
    expect(state).toContain(") Z");
  });
});
