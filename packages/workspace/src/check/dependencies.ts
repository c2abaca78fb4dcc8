/** What a command needs is installed by the base's own setup, in a checkout of the base, with the network. What it puts
 *  beside the files of the base is kept by the digest of the files that say what gets installed, and copied into each
 *  run. What an agent installed never counts. */
import { cp, mkdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type CheckPlaces, digest } from "./check-environment.ts";
import { checkOut } from "./checkout.ts";
import { DEPENDENCY_FILES } from "./protected-files.ts";
import { type CommandOptions, runCommand } from "./run-command.ts";
import type { Scratch } from "./scratch.ts";
import { treeEntries } from "./trees.ts";

export type Dependencies = {
  /** Names what was installed. */
  key: string;
  /** Puts it into a checkout, in place of whatever is there. */
  into(files: string): Promise<void>;
};

export type SetupOptions = {
  base: string;
  setup: readonly string[];
  /** Folder in which what was installed is kept; out of the agents' reach. */
  cache: string;
  run: CommandOptions;
};

/** Fails with `CHECK_FAILED` when the setup of the base does. */
export async function dependenciesOf(
  scratch: Scratch,
  options: SetupOptions,
): Promise<Result<Dependencies, Failure>> {
  const { base, setup, cache, run } = options;
  const read = await treeEntries(scratch, { tree: base, pathspecs: DEPENDENCY_FILES });
  if (!read.ok) return read;
  const key = setupKey(setup, run, read.value);
  const folder = join(cache, key);
  const known = await keptEntries(folder);
  if (known !== null) {
    // What was used lately is not removed (`prune-check-cache`).
    const now = new Date();
    await utimes(join(folder, "entries"), now, now).catch(() => undefined);
    return ok(dependencies(key, folder, known));
  }
  const made = await install(scratch, { ...options, folder });
  return made.ok ? ok(dependencies(key, folder, made.value)) : made;
}

function setupKey(setup: readonly string[], { path, variables }: CheckPlaces, files: unknown) {
  const machine = [process.platform, process.arch, process.version];
  return digest([1, setup, path, variables, machine, files]);
}

async function keptEntries(folder: string): Promise<string[] | null> {
  const text = await readFile(join(folder, "entries"), "utf8").catch(() => null);
  return text === null ? null : text.split("\0").filter(Boolean);
}

/** Built beside its place and renamed into it, so that what is there is whole. */
async function install(
  scratch: Scratch,
  { base, setup, cache, run, folder }: SetupOptions & { folder: string },
): Promise<Result<string[], Failure>> {
  const checkout = await checkOut(scratch, base);
  if (!checkout.ok) return checkout;
  const { files } = checkout.value;
  const end = await runCommand(setup, checkout.value, { ...run, network: true });
  if (end.exitCode !== 0) return err(setupFailed(setup, end));
  const listed = await checkout.value.untracked();
  if (!listed.ok) return listed;
  const entries = listed.value.flatMap((path) => {
    const name = path.replace(/\/$/, "");
    return name === ".git" ? [] : [name];
  });
  const fresh = `${folder}.${process.pid}.new`;
  await mkdir(cache, { recursive: true, mode: 0o700 });
  for (const entry of entries) await copy(join(files, entry), join(fresh, "files", entry));
  await mkdir(fresh, { recursive: true });
  await writeFile(join(fresh, "entries"), entries.join("\0"));
  // Refused when another process was first: what that made is as good.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  await checkout.value.remove();
  return ok(entries);
}

function dependencies(key: string, folder: string, entries: readonly string[]): Dependencies {
  return {
    key,
    async into(files) {
      for (const entry of entries) {
        await rm(join(files, entry), { recursive: true, force: true });
        await copy(join(folder, "files", entry), join(files, entry));
      }
    },
  };
}

/** Shares the bytes where the file system can. */
async function copy(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  if (process.platform === "linux") {
    const { execa } = await import("execa");
    await execa("cp", ["-a", "--reflink=auto", "--", from, to]);
    return;
  }
  await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

function setupFailed(
  setup: readonly string[],
  end: { exitCode: number | null; timedOut: boolean; output: string },
): Failure {
  const how = end.timedOut ? "did not end in time" : `exited with ${end.exitCode}`;
  return failure(
    "CHECK_FAILED",
    `the setup of a check, ${setup.join(" ")}, ${how}: ${end.output.trim().slice(-1_000)}`,
    "run it in a clean clone of the base, and correct `setup`",
  );
}
