import { access, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AgentStep } from "@uncaged/workflow-util-agent";
import type { AcpProgram } from "./acp-program.ts";

export type AgentHome = {
  /** Variables that point the agent to it. */
  env: Record<string, string>;
  /** A login of the user's exists. */
  login: boolean;
};

/** Creates the folder in which the agent keeps its configuration and sessions. Of the user's own files it gets only
 *  the login files, as links, so that a token is renewed for both. */
export async function agentHome(
  { homes, logins, settings, config }: AcpProgram,
  { home, env }: Pick<AgentStep, "home" | "env">,
): Promise<AgentHome> {
  const files = logins.map(({ from, to }) => ({
    own: join(env.HOME ?? "/", from),
    linked: join(home, to),
  }));
  const present = await Promise.all(
    files.map(async (file) => ({ file, is: await exists(file.own) })),
  );
  const login = present.some(({ is }) => is);
  if (config === "user") return { env: {}, login };
  const folders = Object.entries(homes).map(
    ([name, folder]) => [name, join(home, folder)] as const,
  );
  for (const [, folder] of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const { file, is } of present) if (is) await linkOnce(file.own, file.linked);
  for (const [path, text] of Object.entries(settings)) await writeAnew(join(home, path), text);
  return { env: Object.fromEntries(folders), login };
}

async function linkOnce(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await symlink(target, path).catch(unlessThere);
}

/** What an earlier step left there does not count. */
async function writeAnew(path: string, text: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  await writeFile(path, text, { flag: "wx", mode: 0o600 });
}

/** From an earlier step; or the agent has replaced it with its own. */
function unlessThere(fault: NodeJS.ErrnoException): void {
  if (fault.code !== "EEXIST") throw fault;
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
