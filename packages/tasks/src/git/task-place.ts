/** Where the tasks of a repository are: its main work tree, its remote, and what git may use of the user's settings. */
import { dirname } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import {
  type GitOptions,
  type GitSettings,
  type Repository,
  registeredWorktrees,
  remoteAccess,
  settingsIn,
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
  const access = await remoteAccess(env, local);
  if (!access.ok) return access;
  const { user } = access.value;
  const last = (name: string, from: GitSettings): string | undefined => from.get(name)?.at(-1);
  return ok({
    repository,
    root,
    remote: last("remote.origin.url", own.value) || null,
    local,
    network: { ...local, config: [...config, ...access.value.config], env: access.value.env },
    identity: identityOf({
      name: env.GIT_AUTHOR_NAME || last("user.name", own.value) || last("user.name", user),
      email: env.GIT_AUTHOR_EMAIL || last("user.email", own.value) || last("user.email", user),
    }),
  });
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
