import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { redactor } from "@uncaged/workflow-util";
import type { AgentStep } from "../driver/agent-driver.ts";

/** A step as passed to a driver: in this folder, with no policy, time limits of 20 s and no observers, unless
 *  overridden. */
export function fakeStep(folder: string, about: Partial<AgentStep> = {}): AgentStep {
  return {
    threadId: "01KAJ2Z6PVX0000000000000ZZ",
    role: "coder",
    round: 1,
    cwd: folder,
    home: join(folder, "home"),
    storageRoot: null,
    processTag: `test-${randomUUID()}:1`,
    env: { PATH: process.env.PATH ?? "", HOME: folder },
    session: null,
    copiesSession: false,
    previousRawUsage: null,
    systemPrompt: "You code.",
    outputSchema: { type: "object" },
    misfit: async () => null,
    note: () => {},
    policy: null,
    mayI: async () => ({ allowed: false, reason: "nobody is here" }),
    standBack: async () => {},
    isHeld: about.policy != null,
    limits: { timeoutMs: null, idleTimeoutMs: 20_000 },
    signal: new AbortController().signal,
    emit: () => {},
    seen: () => {},
    redact: redactor({ env: {} }),
    reminder: "You are in thread 01KAJ.",
    stillMissing: () => null,
    ...about,
  };
}
