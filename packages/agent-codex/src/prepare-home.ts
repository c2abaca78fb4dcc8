import { access, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "@uncaged/workflow-util-agent";

/** Codex's own folder: configuration, log-in, sessions. */
export function userHome(env: Environment): string {
  return env.CODEX_HOME ?? join(env.HOME ?? "", ".codex");
}

/** Makes the folder in which Codex keeps what belongs to one role of one thread, and lends it the user's log-in.
 *  A link, not a copy: Codex renews its tokens, and each of them can be renewed only once. */
export async function prepareHome(home: string, env: Environment): Promise<void> {
  await mkdir(home, { recursive: true, mode: 0o700 });
  const login = join(userHome(env), LOGIN_FILE);
  if (!(await exists(login))) return;
  const link = join(home, LOGIN_FILE);
  await rm(link, { force: true });
  await symlink(login, link);
}

export const LOGIN_FILE = "auth.json";

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
