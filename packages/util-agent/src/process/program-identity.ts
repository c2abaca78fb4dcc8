import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { StepRun } from "@uncaged/workflow-protocol";

/** Which program runs: the file behind the path, and its digest. For a null path, or a file that cannot be read,
 *  nothing is known. Never rejects. An unchanged program is read once per process. */
export async function programIdentity(
  path: string | null,
): Promise<Pick<StepRun["agent"], "path" | "sha256">> {
  if (path === null) return {};
  try {
    const real = await realpath(path);
    const file = await stat(real);
    if (!file.isFile()) return { path: real };
    const version = [file.dev, file.ino, file.size, file.mtimeMs, file.ctimeMs].join(":");
    const known = digests.get(real);
    const sha256 = known?.version === version ? known.sha256 : digestOf(real);
    if (digests.size >= MOST_KNOWN) digests.clear();
    digests.set(real, { version, sha256 });
    return { path: real, sha256: await sha256 };
  } catch {
    return {};
  }
}

const MOST_KNOWN = 100;
const digests = new Map<string, { version: string; sha256: Promise<string> }>();

async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest("hex");
}
