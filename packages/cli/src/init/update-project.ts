/** Updates the `@uncaged` packages of an existing project to this release, and changes nothing else.
 *
 *  New files are written first and old ones removed last: a crash in between leaves a project that can be updated
 *  again. */
import { existsSync, readFileSync } from "node:fs";
import { copyFile, mkdir, readdir, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { writeFileAtomicSync } from "@uncaged/workflow-util";
import { cliVersion } from "../command/cli-version.ts";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { shellWord } from "../command/shell-word.ts";
import { carriedPackages, VENDOR } from "./carried-packages.ts";
import { vendored } from "./project-files.ts";
import { type ProjectPackages, withPackages, withPnpmOverrides } from "./project-packages.ts";

export async function updateProject(
  dir: string,
  io: Pick<Io, "cwd">,
): Promise<Result<Output, Failure>> {
  const folder = resolve(io.cwd, dir);
  const manifest = readManifest(folder);
  if (!manifest.ok) return manifest;
  const version = cliVersion();
  const packages = { version, carried: carriedPackages() };
  const kept = await keepPackages(folder, packages);
  write(join(folder, "package.json"), jsonText(withPackages(manifest.value, packages)));
  updatePnpmSettings(folder, packages);
  await dropPackages(folder, kept);
  const enter = folder === io.cwd ? [] : [`cd ${shellWord(dir)}`];
  const install = existsSync(join(folder, "pnpm-lock.yaml")) ? "pnpm install" : "npm install";
  const next = [...enter, install];
  return ok({
    document: { folder, version, next },
    human: ({ bold }) =>
      [
        `The packages of ${folder} are now at version ${bold(version)}.`,
        "",
        "Next:",
        ...next.map((command) => `  ${command}`),
      ].join("\n"),
  });
}

function readManifest(folder: string): Result<{ [key: string]: unknown }, Failure> {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return err(noProject(`there is no ${file}`));
  try {
    const manifest: { [key: string]: unknown } = Object(JSON.parse(readFileSync(file, "utf8")));
    const { dependencies, devDependencies } = manifest;
    const names = Object.keys({ ...Object(dependencies), ...Object(devDependencies) });
    if (names.some((name) => name.startsWith("@uncaged/"))) return ok(manifest);
    return err(noProject(`${file} depends on no @uncaged package`));
  } catch (cause) {
    return err(noProject(`${file} is not JSON: ${cause instanceof Error ? cause.message : cause}`));
  }
}

function noProject(problem: string): Failure {
  return failure(
    "USAGE",
    `${problem}; nothing was changed`,
    "name the folder of a project that `uncaged-workflow init` created",
  );
}

/** The names of the files that now belong in the folder of packages. */
async function keepPackages(folder: string, packages: ProjectPackages): Promise<Set<string>> {
  const files = vendored(packages).flatMap((file) => ("copyOf" in file ? [file] : []));
  if (files.length > 0) await mkdir(join(folder, VENDOR), { recursive: true });
  for (const { path, copyOf } of files) {
    // This is the project's own command line updating its own project.
    if (resolve(copyOf) !== join(folder, path)) await copyFile(copyOf, join(folder, path));
  }
  return new Set(files.map(({ path }) => basename(path)));
}

async function dropPackages(folder: string, kept: ReadonlySet<string>): Promise<void> {
  const vendor = join(folder, VENDOR);
  if (!existsSync(vendor)) return;
  if (kept.size === 0) return rm(vendor, { recursive: true });
  for (const name of await readdir(vendor)) if (!kept.has(name)) await rm(join(vendor, name));
}

function updatePnpmSettings(folder: string, packages: ProjectPackages): void {
  const file = join(folder, "pnpm-workspace.yaml");
  if (existsSync(file)) write(file, withPnpmOverrides(readFileSync(file, "utf8"), packages));
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function write(path: string, data: string): void {
  writeFileAtomicSync({ path, data, mode: 0o644, existing: "replace" });
}
