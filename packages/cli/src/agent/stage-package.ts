/** Tries a package out in a separate folder, before anything in the storage root is touched. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type InstalledAgent, loadAgentPackage } from "@uncaged/workflow-register";
import { z } from "zod";
import { type NpmCall, npm } from "./npm.ts";
import { type PackedFile, packFolder } from "./pack-folder.ts";

export type StagedPackage = InstalledAgent & {
  /** Its tarball, if it is in no registry; null: name and version suffice. */
  tarball: PackedFile | null;
};

export type StageRequest = Omit<NpmCall, "folder"> & {
  /** npm package, tarball or folder. */
  source: string;
  /** Paths are relative to it. */
  cwd: string;
};

/** Provides the package while it is staged; it is removed afterwards. */
export async function withStagedPackage<T>(
  request: StageRequest,
  use: (staged: StagedPackage) => Promise<Result<T, Failure>>,
): Promise<Result<T, Failure>> {
  const stage = mkdtempSync(join(tmpdir(), "uwf-agent-"));
  try {
    const staged = await stagePackage(request, stage);
    return staged.ok ? await use(staged.value) : staged;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

async function stagePackage(
  { source, cwd, env, signal, io }: StageRequest,
  stage: string,
): Promise<Result<StagedPackage, Failure>> {
  if (!isSpecifier(source)) return err(noSpecifier(source));
  const call = { folder: stage, env, signal, io };
  writeFileSync(join(stage, "package.json"), '{ "private": true }\n');
  const tarball = isPath(source) ? await packFolder(resolve(cwd, source), call) : null;
  if (tarball !== null && !tarball.ok) return tarball;
  const wanted = tarball === null ? source : tarball.value.path;
  const installed = await npm(["install", "--save-exact", "--", wanted], call);
  if (!installed.ok) return installed;
  const name = installedName(stage);
  if (name === null) {
    return err(failure("INSTALL_FAILED", `npm installed nothing for ${source}`, "check the name"));
  }
  // Look nowhere else: an engine's own package of the same name is not the requested one.
  const nowhere = new URL("none/none.js", `file://${stage}/`).href;
  const loaded = await loadAgentPackage(name, { root: stage, packagesBase: nowhere });
  return loaded.ok ? ok({ ...loaded.value, tarball: tarball?.value ?? null }) : loaded;
}

/** npm's own rule: a folder is written `./folder`, so a folder that happens to have a package's name is not mistaken
 *  for the package. */
function isPath(source: string): boolean {
  return /^(?:[./]|[A-Za-z]:[\\/])|\.(?:tgz|tar\.gz)$/.test(source);
}

/** A name with or without a version, or a package's location. npm would accept anything else too. */
function isSpecifier(source: string): boolean {
  if (isPath(source) || /^[a-z+]+:\S+$/.test(source)) return !source.includes("\0");
  return /^(?:@?[\w.~-]+\/)?\w[\w.~-]*(?:[@#][^\s@]+)?$/.test(source);
}

function noSpecifier(source: string): Failure {
  return failure(
    "USAGE",
    `${JSON.stringify(source)} is not a package`,
    "give a name, name@version, a tarball, or a folder as ./folder",
  );
}

const manifest = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

function installedName(stage: string): string | null {
  const text = readFileSync(join(stage, "package.json"), "utf8");
  return Object.keys(manifest.parse(JSON.parse(text)).dependencies)[0] ?? null;
}
