import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Environment, lendFile } from "@uncaged/workflow-util-agent";

/** Creates the folder in which Hermes keeps what belongs to one role of one thread: sessions, memory, skills. It is
 *  lent the user's login, and gets a copy of the settings, which name the model and its provider. */
export async function prepareHome(home: string, env: Environment): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const own = env.HERMES_HOME ?? join(env.HOME ?? "", ".hermes");
  for (const login of LOGIN_FILES) await lendFile(join(own, login), join(home, login));
  await copyFile(join(own, SETTINGS), join(home, SETTINGS)).catch(
    (fault: NodeJS.ErrnoException) => {
      if (fault.code !== "ENOENT") throw fault;
    },
  );
}

const LOGIN_FILES = [".env", "auth.json"];
/** What a session needs from that folder, and renewed logins. */
export const KEPT_FILES: readonly string[] = ["auth.json", "sessions/*", "state.db*"];
const SETTINGS = "config.yaml";
