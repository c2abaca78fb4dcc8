/** Packs the published packages of this repository into `packages/cli/dist/packages`, so that projects made by a
 *  clone's command line can be installed before any registry has them. A published command line carries none: the
 *  registry that it came from has the rest.
 *
 *  1. A file is named by its package, its version and its bytes, so one that was copied into a project is never
 *     another under the same name.
 *  2. The index is written last: it names only files that are there. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "packages/cli/dist");
const out = join(dist, "packages");
const INDEX = "packages.json";

main();

function main() {
  mkdirSync(out, { recursive: true });
  const stage = mkdtempSync(join(dist, ".pack-"));
  try {
    const names = publishedNames();
    pack(names, stage);
    const packages = Object.fromEntries(names.map((name) => [name, keep(name, stage)]));
    replace(join(out, INDEX), `${JSON.stringify(packages, null, 2)}\n`);
    const known = new Set([INDEX, ...Object.values(packages).map(({ file }) => file)]);
    for (const name of readdirSync(out))
      if (!known.has(name)) rmSync(join(out, name), { force: true });
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

function publishedNames() {
  const names = ["packages", "templates"].flatMap((group) =>
    readdirSync(join(root, group)).flatMap((folder) => {
      const file = join(root, group, folder, "package.json");
      const manifest = existsSync(file)
        ? JSON.parse(readFileSync(file, "utf8"))
        : { private: true };
      return manifest.private === true ? [] : [manifest.name];
    }),
  );
  return names.sort();
}

/** By pnpm, which puts versions in place of `workspace:`. */
function pack(names, folder) {
  const filters = names.flatMap((name) => ["--filter", name]);
  const args = ["-r", ...filters, "pack", "--pack-destination", folder];
  execFileSync("pnpm", args, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}

function keep(name, stage) {
  const begins = `${name.replace("@", "").replace("/", "-")}-`;
  const packed = readdirSync(stage).filter((file) => new RegExp(`^${begins}\\d`).test(file));
  if (packed.length !== 1)
    throw new Error(`${name} was packed as ${packed.join(", ") || "nothing"}`);
  const [tarball] = packed;
  const version = tarball.slice(begins.length, -".tgz".length);
  const digest = createHash("sha256")
    .update(readFileSync(join(stage, tarball)))
    .digest("hex");
  const file = `${begins}${version}-${digest.slice(0, 12)}.tgz`;
  if (!existsSync(join(out, file))) {
    // Two builds at once: each publishes the same bytes by one rename.
    const temporary = join(out, `${file}.${process.pid}.tmp`);
    copyFileSync(join(stage, tarball), temporary);
    renameSync(temporary, join(out, file));
  }
  return { version, file };
}

function replace(file, text) {
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}
