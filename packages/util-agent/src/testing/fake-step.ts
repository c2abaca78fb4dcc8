import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { redactor } from "@uncaged/workflow-util";
import type { AgentStep } from "../agent-driver.ts";

/** A step as a driver is given it: in this folder, with no policy and 20 s of patience, and nobody who listens, unless
 *  said otherwise. */
export function fakeStep(folder: string, about: Partial<AgentStep> = {}): AgentStep {
  return {
    threadId: "01KAJ2Z6PVX0000000000000ZZ",
    role: "coder",
    round: 1,
    cwd: folder,
    home: join(folder, "home"),
    runMark: `test-${randomUUID()}:1`,
    env: { PATH: process.env.PATH ?? "", HOME: folder },
    session: null,
    copiesSession: false,
    previousRawUsage: null,
    systemPrompt: "You code.",
    outputSchema: { type: "object" },
    policy: null,
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
