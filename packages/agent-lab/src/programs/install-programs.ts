/** Installs real agent programs from npm, outside the workspace.
 *
 *  1. A program's folder is named after its version and appears with a single rename: it is complete or absent.
 *  2. The version is checked with the installed program itself, because npm may install another one than intended.
 *  3. One process installs at a time; a second one finds what the first has installed.
 *  4. npm and the programs' install scripts run under our own Node, not under an older one on PATH. */
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { PROGRAMS, type ProgramName, type ProgramSource } from "./catalog.ts";
import { withInstallLock } from "./install-lock.ts";

export type InstalledProgram = {
  name: ProgramName;
  /** Absolute path of the executable. */
  path: string;
  version: string;
};

const INSTALL_TIMEOUT_MS = 5 * 60_000;
const VERSION_TIMEOUT_MS = 30_000;

/** The requested programs, in that order; missing ones are installed (hundreds of megabytes each). Throws when npm
 *  fails or a program is not the requested one. */
export async function installPrograms(
  names: readonly ProgramName[],
  cache: string = programCache(),
): Promise<InstalledProgram[]> {
  const installed: InstalledProgram[] = [];
  for (const name of names) installed.push(await ensureProgram(cache, name));
  return installed;
}

/** `UNCAGED_AGENT_LAB_CACHE`, else a folder of the user's cache. */
function programCache(): string {
  return process.env.UNCAGED_AGENT_LAB_CACHE ?? join(homedir(), ".cache", "uncaged-agent-lab");
}

async function ensureProgram(cache: string, name: ProgramName): Promise<InstalledProgram> {
  const source = PROGRAMS[name];
  const folder = join(cache, `${name}-${source.version}`);
  const program = { name, path: binOf(folder, source), version: source.version };
  if (await exists(folder)) return program;
  await mkdir(cache, { recursive: true });
  await withInstallLock(join(cache, "install.sqlite"), async () => {
    if (!(await exists(folder))) await install(cache, folder, source);
  });
  return program;
}

async function install(cache: string, folder: string, source: ProgramSource): Promise<void> {
  const draft = await mkdtemp(join(cache, ".install-"));
  try {
    await writeFile(join(draft, "package.json"), "{}\n");
    await execa("npm", ["install", ...NPM_FLAGS, `${source.package}@${source.version}`], {
      cwd: draft,
      env: { PATH: pathWithOwnNode() },
      stdin: "ignore",
      timeout: INSTALL_TIMEOUT_MS,
    });
    await mustBe(binOf(draft, source), source, draft);
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** A person's npm may have install scripts switched off; the programs need them to place their binaries. */
const NPM_FLAGS = ["--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts=false"];

async function mustBe(path: string, source: ProgramSource, home: string): Promise<void> {
  const { stdout } = await execa(path, ["--version"], {
    env: { PATH: pathWithOwnNode(), HOME: home },
    stdin: "ignore",
    timeout: VERSION_TIMEOUT_MS,
  });
  if (stdout.includes(source.version)) return;
  throw new Error(`${source.package} ${source.version} was installed, but ${path} says: ${stdout}`);
}

const binOf = (folder: string, source: ProgramSource) =>
  join(folder, "node_modules", ".bin", source.bin);

const pathWithOwnNode = () => [dirname(process.execPath), process.env.PATH].join(delimiter);

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
