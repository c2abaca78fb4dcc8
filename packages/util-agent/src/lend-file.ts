import { access, rm, symlink } from "node:fs/promises";

/** Lends a file of the user's, a log-in, to an agent's private folder; nothing when there is none. A link, not a
 *  copy: tokens are renewed, and each can be renewed only once. It is made anew, since the user's may have moved. */
export async function lendFile(own: string, lent: string): Promise<void> {
  if (!(await exists(own))) return;
  await rm(lent, { force: true });
  await symlink(own, lent);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
