/** Where the tasks of a repository are: its main work tree, its remote, and what git may use of the user's settings. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type GitOptions,
  type Repository,
  registeredWorktrees,
  tryGit,
} from "@uncaged/workflow-workspace";

export type TaskPlace = {
  repository: Repository;
  /** Root of the main work tree; of a bare repository, the folder that it is in. */
  root: string;
  /** URL of `origin`; null: there is none, and all is done here. */
  remote: string | null;
  /** Work on refs and objects, never on files. */
  local: GitOptions;
  /** The same with what reaches a remote. */
  network: GitOptions;
  /** Who commits. */
  identity: Readonly<Record<string, string>>;
};

/** Of the user's own configuration counts who they are and how they reach remotes; of the repository's, which an agent
 *  can write, only the name, the address and the remote's URL. */
export async function taskPlace(
  repository: Repository,
  env: NodeJS.ProcessEnv,
): Promise<Result<TaskPlace, Failure>> {
  const registered = await registeredWorktrees(repository);
  if (!registered.ok) return registered;
  const [main] = registered.value;
  const { commonDir } = repository;
  const isBare = main === undefined || main.isBare;
  const root = isBare ? dirname(commonDir) : main.path;
  // Waits for whoever holds the lock of a ref: many agents share them.
  const config = ["core.filesRefLockTimeout=10000", "core.packedRefsTimeout=10000"];
  const local: GitOptions = { scope: { gitDir: commonDir }, cwd: root, config };
  const own = await settingsIn(["--local"], local);
  if (!own.ok) return own;
  const user = new Map<string, string[]>();
  for (const file of userFiles(env)) {
    const settings = await settingsIn(["--file", file, "--includes"], local);
    if (!settings.ok) return settings;
    for (const [name, values] of settings.value)
      user.set(name, [...(user.get(name) ?? []), ...values]);
  }
  const last = (name: string, from: Map<string, string[]>): string | undefined =>
    from.get(name)?.at(-1);
  return ok({
    repository,
    root,
    remote: last("remote.origin.url", own.value) || null,
    local,
    network: { ...local, config: [...config, ...reach(user)], env: networkEnv(env, user) },
    identity: identityOf({
      name: env.GIT_AUTHOR_NAME || last("user.name", own.value) || last("user.name", user),
      email: env.GIT_AUTHOR_EMAIL || last("user.email", own.value) || last("user.email", user),
    }),
  });
}

function userFiles(env: NodeJS.ProcessEnv): string[] {
  if (env.GIT_CONFIG_GLOBAL !== undefined) return [env.GIT_CONFIG_GLOBAL].filter(existsSync);
  if (env.HOME === undefined) return [];
  const xdg = env.XDG_CONFIG_HOME || join(env.HOME, ".config");
  return [join(xdg, "git", "config"), join(env.HOME, ".gitconfig")].filter(existsSync);
}

async function settingsIn(
  where: readonly string[],
  options: GitOptions,
): Promise<Result<Map<string, string[]>, Failure>> {
  const listed = await tryGit(["config", ...where, "--list", "-z"], options);
  if (!listed.ok) return listed;
  const settings = new Map<string, string[]>();
  for (const entry of listed.value.stdout.split("\0")) {
    const end = entry.indexOf("\n");
    if (end === -1) continue;
    const name = entry.slice(0, end);
    settings.set(name, [...(settings.get(name) ?? []), entry.slice(end + 1)]);
  }
  return ok(settings);
}

/** Credential helpers, rewritten URLs and proxies of the user's; nothing that a repository says. */
function reach(user: ReadonlyMap<string, readonly string[]>): string[] {
  const named = [...user].filter(([name]) => /^(?:credential|url|http|https)\./.test(name));
  return [
    ...named.flatMap(([name, values]) => values.map((value) => `${name}=${value}`)),
    // Otherwise a repository could name a program to be run.
    "core.alternateRefsCommand=true",
  ];
}

function networkEnv(
  env: NodeJS.ProcessEnv,
  user: ReadonlyMap<string, readonly string[]>,
): Record<string, string> {
  return {
    GIT_SSH_COMMAND: env.GIT_SSH_COMMAND || user.get("core.sshcommand")?.at(-1) || "ssh",
    GIT_PROXY_COMMAND: "",
    // The remote is what `origin` says, which may be a folder; `ext::` stays forbidden.
    GIT_PROTOCOL_FROM_USER: "1",
  };
}

function identityOf({
  name = "uncaged-workflow",
  email = "uncaged-workflow@localhost",
}: {
  name: string | undefined;
  email: string | undefined;
}): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}
