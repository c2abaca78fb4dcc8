import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, lendFile } from "@uncaged/workflow-util-agent";

/** Creates the folder in which Codex keeps what belongs to one role of one thread, and lends it the user's login. */
export async function prepareHome(home: string, env: Environment): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const own = env.CODEX_HOME ?? join(env.HOME ?? "", ".codex");
  await lendFile(join(own, LOGIN_FILE), join(home, LOGIN_FILE));
}

const LOGIN_FILE = "auth.json";

/** What a session needs from that folder. */
export const KEPT_FILES: readonly string[] = [LOGIN_FILE, "sessions/*/*/*/rollout-*.jsonl"];
