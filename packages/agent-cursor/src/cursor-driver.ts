import { type AgentDriver, probeProgram } from "@uncaged/workflow-util-agent";
import { type CursorConfig, PROGRAMS } from "./cursor-config.ts";
import { openCursor } from "./cursor-conversation.ts";
import { probeCursor } from "./probe-cursor.ts";

/** Longer than Cursor needs to clean up, shorter than anybody wants to wait. */
const LINGER_MS = 30_000;

export function cursorDriver(
  config: CursorConfig,
  { lingerMs = LINGER_MS }: { lingerMs?: number } = {},
): AgentDriver {
  return {
    name: "cursor",
    passEnv: ["CURSOR_API_KEY"],
    // With `--force` nothing is asked, so nothing can be refused.
    can: { evidence: true, policy: false, resume: true },
    probe: ({ env }) => probeCursor(config, env),
    async open(step) {
      const program = config.command ?? (await probeProgram(PROGRAMS, step.env))?.path;
      return openCursor({ config, program: program ?? "cursor-agent", lingerMs }, step);
    },
  };
}
