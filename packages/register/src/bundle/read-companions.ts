import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { readRegularFile } from "@uncaged/workflow-util";
import { parseBuildRecord } from "./build-record.ts";
import { outputFiles } from "./bundle-files.ts";

const MAX_COMPANION_BYTES: number = 8 * 1024 * 1024;

export type Companions = {
  /** The descriptor file that `workflow build` wrote; null when there is none. */
  descriptor: { path: string; text: string } | null;
  /** Version of the bundler that built the bundle with this SHA-256; null when unknown. */
  rolldownFor: (sha256: string) => string | null;
};

/** The files next to a bundle file. */
export async function readCompanions(bundleFile: string): Promise<Companions> {
  const beside = outputFiles(bundleFile);
  const descriptor = await readRegularFile(beside.descriptor, MAX_COMPANION_BYTES);
  const build = await readRegularFile(beside.build, MAX_COMPANION_BYTES);
  const record = build.ok ? parseBuildRecord(build.value.toString("utf8")) : null;
  return {
    descriptor:
      !descriptor.ok && descriptor.error.absent
        ? null
        : { path: beside.descriptor, text: descriptor.ok ? descriptor.value.toString("utf8") : "" },
    // A record left over from another build says nothing about this bundle.
    rolldownFor: (sha256) => (record?.sha256 === sha256 ? record.rolldown : null),
  };
}

/** Type declarations to store with a bundle. */
export async function readTypes(path: string): Promise<Result<Buffer, Failure>> {
  const read = await readRegularFile(path, MAX_COMPANION_BYTES);
  if (read.ok) return ok(read.value);
  if (read.error.absent)
    return err(failure("FILE_NOT_FOUND", `there is no file ${path}`, "give a .d.ts file"));
  return err(failure("USAGE", `${path} ${read.error.problem}`, "give a .d.ts file"));
}
