import type { AgentUnderTest } from "./agent-under-test.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";

/** The rows of the table. */
export const AGENTS: readonly AgentUnderTest[] = [claudeCode, codex];
