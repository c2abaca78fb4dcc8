/** What git may use to reach a remote: of the user's own configuration, credentials, rewritten URLs and proxies. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type GitOptions, tryGit } from "../git/run-git.ts";

export type GitSettings = ReadonlyMap<string, readonly string[]>;

export type RemoteAccess = {
  /** The user's settings, by their names in lower case. */
  user: GitSettings;
} & Required<Pick<GitOptions, "config" | "env">>;

/** `at`: where git is run. Nothing that a repository says is in it. */
export async function remoteAccess(
  env: NodeJS.ProcessEnv,
  at: Pick<GitOptions, "scope" | "cwd">,
): Promise<Result<RemoteAccess, Failure>> {
  const user = new Map<string, string[]>();
  for (const file of userFiles(env)) {
    const settings = await settingsIn(["--file", file, "--includes"], at);
    if (!settings.ok) return settings;
    for (const [name, values] of settings.value)
      user.set(name, [...(user.get(name) ?? []), ...values]);
  }
  return ok({ user, config: reach(user), env: networkEnv(env, user) });
}

export async function settingsIn(
  where: readonly string[],
  options: GitOptions,
): Promise<Result<GitSettings, Failure>> {
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

function userFiles(env: NodeJS.ProcessEnv): string[] {
  if (env.GIT_CONFIG_GLOBAL !== undefined) return [env.GIT_CONFIG_GLOBAL].filter(existsSync);
  if (env.HOME === undefined) return [];
  const xdg = env.XDG_CONFIG_HOME || join(env.HOME, ".config");
  return [join(xdg, "git", "config"), join(env.HOME, ".gitconfig")].filter(existsSync);
}

function reach(user: GitSettings): string[] {
  const named = [...user].filter(([name]) => /^(?:credential|url|http|https)\./.test(name));
  return [
    ...named.flatMap(([name, values]) => values.map((value) => `${name}=${value}`)),
    // Otherwise a repository could name a program to be run.
    "core.alternateRefsCommand=true",
  ];
}

function networkEnv(env: NodeJS.ProcessEnv, user: GitSettings): Record<string, string> {
  return {
    GIT_SSH_COMMAND: env.GIT_SSH_COMMAND || user.get("core.sshcommand")?.at(-1) || "ssh",
    GIT_PROXY_COMMAND: "",
    // The remote is what `origin` says, which may be a folder; `ext::` stays forbidden.
    GIT_PROTOCOL_FROM_USER: "1",
  };
}
