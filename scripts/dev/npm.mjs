import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DevError } from "./dev-error.mjs";

/** The npm that started us, else the one beside the running Node, else the one on PATH. */
export function npmCommand() {
  const nodeDirectory = dirname(process.execPath);
  const candidates = [
    process.env.npm_execpath,
    join(nodeDirectory, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    join(nodeDirectory, "node_modules", "npm", "bin", "npm-cli.js"),
  ];
  const script = candidates.find(
    (file) => file !== undefined && basename(file) === "npm-cli.js" && existsSync(file),
  );
  if (script !== undefined) return { command: process.execPath, args: [script], shell: false };
  return { command: "npm", args: [], shell: process.platform === "win32" };
}

/** The folder that npm installs into globally; commands are in its `bin`. */
export function globalPrefix() {
  const npm = npmCommand();
  const args = [...npm.args, "prefix", "--global"];
  const { status, stdout, stderr, error } = spawnSync(npm.command, args, {
    encoding: "utf8",
    shell: npm.shell,
  });
  if (status === 0 && stdout.trim() !== "") return stdout.trim();
  throw new DevError(
    `npm does not say where it installs globally: ${error?.message ?? stderr.trim()}`,
    "Name a folder: npm run link -- --prefix ~/.local",
  );
}
