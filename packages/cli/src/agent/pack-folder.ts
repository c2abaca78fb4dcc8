/** Packs a folder or tarball into one file, whatever its path: an installed package must not change with a folder
 *  that somebody works in. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { locateUpwards } from "@uncaged/workflow-register";
import { z } from "zod";
import { type NpmCall, npm } from "./npm.ts";

/** `fileName` is unique enough to keep it next to others. */
export type PackedFile = { path: string; fileName: string };

export async function packFolder(
  path: string,
  call: NpmCall,
): Promise<Result<PackedFile, Failure>> {
  if (!existsSync(path)) return err(notThere(path));
  const source = publishable(path, join(call.folder, "source"));
  if (!source.ok) return source;
  const args = ["pack", "--json", "--pack-destination", call.folder, "--", source.value];
  const done = await npm(args, call);
  if (!done.ok) return done;
  const { name, filename } = printed.parse(JSON.parse(done.value))[0];
  if (!PACKAGE_NAME.test(name))
    return err(failure("USAGE", `${path} calls itself ${JSON.stringify(name)}`, "give it a name"));
  const file = join(call.folder, filename);
  const digest = createHash("sha256").update(readFileSync(file)).digest("hex").slice(0, 12);
  return ok({ path: file, fileName: `${filename.replace(/\.tgz$/, "")}-${digest}.tgz` });
}

const printed = z.tuple([z.object({ name: z.string(), filename: z.string() })]);

/** As npm allows them, without any part that leads elsewhere. */
const PACKAGE_NAME = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/;

const KINDS = ["dependencies", "peerDependencies", "optionalDependencies"] as const;
const WORKSPACE = "workspace:";
const manifestOf = z.looseObject(
  Object.fromEntries(KINDS.map((kind) => [kind, z.record(z.string(), z.string()).optional()])),
);

/** npm leaves `workspace:` in a folder's manifest, and then cannot install it. So such a folder is copied, and the
 *  copy names the workspace's versions, as when its own package manager publishes it. */
function publishable(path: string, copy: string): Result<string, Failure> {
  const file = join(path, "package.json");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (!text.includes(`"${WORKSPACE}`)) return ok(path);
  const read = manifestOf.safeParse(JSON.parse(text));
  if (!read.success) return ok(path);
  const manifest: { [key: string]: unknown } = { ...read.data };
  // Nobody who installs the package gets these.
  delete manifest.devDependencies;
  for (const kind of KINDS) {
    const versions: { [name: string]: string } = {};
    for (const [name, spec] of Object.entries(read.data[kind] ?? {})) {
      const version = publishedSpec(spec, () => locateUpwards(name, path)?.version ?? null);
      if (version === null) return err(notLinked(path, name));
      versions[name] = version;
    }
    if (kind in manifest) manifest[kind] = versions;
  }
  cpSync(path, copy, { recursive: true, filter: (each) => !LEFT_OUT.has(basename(each)) });
  writeFileSync(join(copy, "package.json"), JSON.stringify(manifest, null, 2));
  return ok(copy);
}

const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", ".git"]);

/** `workspace:^` becomes `^` plus the version; `workspace:^1.2.0` contains it. */
function publishedSpec(spec: string, version: () => string | null): string | null {
  if (!spec.startsWith(WORKSPACE)) return spec;
  const range = spec.slice(WORKSPACE.length);
  if (!/^[*^~]?$/.test(range)) return range;
  const found = version();
  return found === null ? null : `${range.replace("*", "")}${found}`;
}

function notThere(path: string): Failure {
  return failure("FILE_NOT_FOUND", `there is no ${JSON.stringify(path)}`, "check the path");
}

function notLinked(path: string, name: string): Failure {
  return failure(
    "INSTALL_FAILED",
    `${path} depends on ${name} of its workspace, which is not linked there`,
    "install the workspace first (pnpm install), then add the folder again; nothing was changed",
  );
}
