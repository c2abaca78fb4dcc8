/** The packages of this repository as a registry would serve them: packed, and reached over HTTP. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const REPOSITORY = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);

export type PackedRegistry = { url: string; close: () => void };

/** `into`: the folder for the tarballs; null: a registry without our packages. */
export async function servePackages(into: string | null): Promise<PackedRegistry> {
  const folder = into ?? "";
  const tarballs = into === null ? [] : await packInto(into);
  const manifests = new Map<string, { tarball: string; manifest: Manifest }>();
  for (const tarball of tarballs) {
    const manifest = await manifestIn(join(folder, tarball));
    manifests.set(manifest.name, { tarball, manifest });
  }
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? "/").slice(1);
    const found = manifests.get(path);
    if (found !== undefined) {
      const document = packument(found.manifest, { folder, tarball: found.tarball, url });
      // Another test's registry may have had the same address with other packages.
      response.setHeader("cache-control", "no-store").setHeader("content-type", "application/json");
      response.end(JSON.stringify(document));
    } else if (tarballs.includes(path)) response.end(readFileSync(join(folder, path)));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}/`;
  return { url, close: () => server.close() };
}

async function packInto(folder: string): Promise<string[]> {
  const filters = ["--filter", "./packages/*", "--filter", "./templates/*"];
  await run("pnpm", ["-r", ...filters, "pack", "--pack-destination", folder], { cwd: REPOSITORY });
  return readdirSync(folder).filter((name) => name.endsWith(".tgz"));
}

type Manifest = { name: string; version: string };

async function manifestIn(tarball: string): Promise<Manifest> {
  const { stdout } = await run("tar", ["-xOf", tarball, "package/package.json"]);
  const manifest: Manifest = JSON.parse(stdout);
  return manifest;
}

/** What npm asks a registry for first. */
function packument(
  manifest: Manifest,
  { folder, tarball, url }: { folder: string; tarball: string; url: string },
): unknown {
  const integrity = createHash("sha512")
    .update(readFileSync(join(folder, tarball)))
    .digest("base64");
  const dist = { tarball: `${url}${tarball}`, integrity: `sha512-${integrity}` };
  const { name, version } = manifest;
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
}
