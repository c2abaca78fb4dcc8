import { access, rm, symlink } from "node:fs/promises";

/** Lends one of the user's files, a login, to an agent's private folder; does nothing if it is missing. A link, not
 *  a copy: tokens are renewed, and each can be renewed only once. The link is created again each time, because the
 *  user's file may have moved. */
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
