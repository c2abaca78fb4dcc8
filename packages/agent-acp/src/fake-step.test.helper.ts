import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type AgentEvent,
  type JsonValue,
  PROCESS_TAG_ENV,
  type ToolCallRecord,
  type ToolPolicy,
} from "@uncaged/workflow-protocol";
import { type AgentConversation, type AgentStep, redactor } from "@uncaged/workflow-util-agent";
import { fakeStep } from "@uncaged/workflow-util-agent/testing";
import { onTestFinished } from "vitest";
import type { AcpAgentConfig } from "./acp-config.ts";
import { acpDriver } from "./acp-driver.ts";

const STAND_IN = fileURLToPath(new URL("./stand-in.test.program.ts", import.meta.url));

/** How the stand-in agent is bound; `start` is its start mode. */
export function standIn(start = "plain"): AcpAgentConfig {
  return { command: process.execPath, args: [STAND_IN, start], asksPermission: true };
}

export type Stage = {
  conversation: AgentConversation;
  events: AgentEvent[];
  calls: ToolCallRecord[];
  home: string;
  abort(): void;
  /** Number of processes of the step. */
  running(): number;
};

/** Opens an agent for one step. It is closed when the test is over. */
export async function openStage(
  config: AcpAgentConfig,
  about: {
    session?: string;
    previousRawUsage?: JsonValue;
    policy?: ToolPolicy;
    mayI?: AgentStep["mayI"];
    idleTimeoutMs?: number;
    env?: Record<string, string>;
  } = {},
): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), "acp-"));
  const aborter = new AbortController();
  const events: AgentEvent[] = [];
  const calls: ToolCallRecord[] = [];
  const processTag = `test-${home}`;
  const conversation = await acpDriver(config).open(
    fakeStep(home, {
      home,
      processTag,
      env: { PATH: process.env.PATH ?? "", HOME: home, ...about.env },
      session: about.session ?? null,
      previousRawUsage: about.previousRawUsage ?? null,
      policy: about.policy ?? null,
      ...(about.mayI === undefined ? {} : { mayI: about.mayI }),
      limits: { timeoutMs: null, idleTimeoutMs: about.idleTimeoutMs ?? 20_000 },
      signal: aborter.signal,
      emit: (event) => events.push(event),
      seen: (call) => calls.push(call),
      redact: redactor({ env: {} }),
      reminder: "",
    }),
  );
  onTestFinished(async () => {
    await conversation.close();
    rmSync(home, { recursive: true, force: true });
  });
  const abort = (): void => aborter.abort();
  return { conversation, events, calls, home, abort, running: () => marked(processTag) };
}

function marked(tag: string): number {
  return readdirSync("/proc").filter(
    (pid) => /^\d+$/.test(pid) && environ(pid).includes(`${PROCESS_TAG_ENV}=${tag}`),
  ).length;
}

/** Of a process that may be gone, or someone else's. */
function environ(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
