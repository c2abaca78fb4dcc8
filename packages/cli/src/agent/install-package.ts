/** Installs a package into the storage root, whose own `package.json` pins it.
 *
 *  1. All or nothing: when npm or the work after it fails, the root's manifest and lock file are restored, and npm
 *     brings `node_modules` back in line with them.
 *  2. npm removes packages that no manifest names, so a root that contains such packages is refused.
 *  3. A package that is in no registry is kept as a tarball in the root, so that npm still finds it when the next
 *     package is installed. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { err, type Failure, failure, type Result } from "@uncaged/workflow-protocol";
import { writeFileAtomicSync } from "@uncaged/workflow-util";
import { type NpmCall, npm } from "./npm.ts";
import type { StagedPackage } from "./stage-package.ts";

export type InstallRequest<T> = Omit<NpmCall, "folder"> & {
  root: string;
  staged: StagedPackage;
  /** The work that must succeed for the package to stay. */
  settle: () => Promise<Result<T, Failure>>;
};

export async function installPackage<T>(request: InstallRequest<T>): Promise<Result<T, Failure>> {
  const { root, staged, env, signal, io } = request;
  mkdirSync(root, { recursive: true, mode: 0o700 });
  if (!existsSync(join(root, "package.json")) && existsSync(join(root, "node_modules")))
    return err(unnamed(root));
  const putBack = remember(root);
  if (!existsSync(join(root, "package.json"))) write(join(root, "package.json"), EMPTY);
  const call = { folder: root, env, signal, io };
  const installed = await npm(["install", "--save-exact", "--", wanted(root, staged)], call);
  const done = installed.ok ? await request.settle() : installed;
  if (!done.ok) await putBack({ ...call, signal: new AbortController().signal });
  dropUnusedTarballs(root);
  return done;
}

/** Returns a function that restores the present state. It ignores the signal that may have ended the rest. */
function remember(root: string): (call: NpmCall) => Promise<void> {
  const manifests = MANIFESTS.map((name) => ({ path: join(root, name), text: textOf(root, name) }));
  return async (call) => {
    for (const { path, text } of manifests) {
      if (text === null) rmSync(path, { force: true });
      else write(path, text);
    }
    if (existsSync(join(root, "package.json"))) await npm(["install"], call);
    else rmSync(join(root, "node_modules"), { recursive: true, force: true });
  };
}

function unnamed(root: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `${join(root, "node_modules")} exists without a package.json: npm would delete its contents`,
    "move it away, or install its packages with npm, which writes a package.json",
  );
}

const MANIFESTS = ["package.json", "package-lock.json"] as const;
const EMPTY = `${JSON.stringify({ private: true, description: "Packages of a workflow storage root" }, null, 2)}\n`;

/** What npm is asked to install: exactly what was tried out. */
function wanted(root: string, { located, tarball }: StagedPackage): string {
  if (tarball === null) return `${located.name}@${located.version}`;
  const folder = tarballs(root);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = join(folder, tarball.fileName);
  copyFileSync(tarball.path, kept);
  return kept;
}

function dropUnusedTarballs(root: string): void {
  const folder = tarballs(root);
  if (!existsSync(folder)) return;
  const manifest = textOf(root, "package.json") ?? "";
  const unused = readdirSync(folder).filter((name) => !manifest.includes(name));
  for (const name of unused) rmSync(join(folder, name));
  if (readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
}

function tarballs(root: string): string {
  return join(root, "tarballs");
}

function textOf(root: string, name: string): string | null {
  const path = join(root, name);
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

function write(path: string, data: string): void {
  writeFileAtomicSync({ path, data, mode: 0o600, existing: "replace" });
}
