/** All of `workflow build`: sources in; one checked module out, with its descriptor next to it, or a failure with
 *  nothing written. */
import { realpath, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  err,
  type Failure,
  failure,
  failureFrom,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import type { CheckedBundle } from "../check/check-bundle.ts";
import { type Judge, notesOf } from "../check/finding.ts";
import type { ExternalBases } from "../externals/external-bases.ts";
import { compileYamlFile, isYamlFile, misnamedYaml } from "../yaml/compile-yaml-file.ts";
import type { YamlChecks } from "../yaml/yaml-checks.ts";
import { defaultOutput } from "./output-path.ts";
import { type WrittenCode, writeOutput } from "./write-output.ts";

export type BuildBundle = ExternalBases &
  YamlChecks & {
    /** TypeScript or JavaScript module that exports `run` and `descriptor`, or a workflow written as YAML; absolute
     *  or relative to `cwd`. */
    entry: string;
    /** Where to write the bundle; null: see `defaultOutput`. */
    out: string | null;
    cwd: string;
    /** What it finds is said, and refused only when the workflow is added; left out: nothing is asked. */
    judge?: Judge;
  };

export type BuiltBundle = {
  file: string;
  hash: string;
  sha256: string;
  descriptorFile: string;
  externals: readonly string[];
  /** For people: what is allowed but may be a mistake. */
  notes: readonly string[];
};

export async function buildBundle(build: BuildBundle): Promise<Result<BuiltBundle, Failure>> {
  try {
    const misnamed = misnamedYaml(build.entry);
    if (misnamed !== null) return err(misnamed);
    const entry = await entryFile(resolve(build.cwd, build.entry));
    if (!entry.ok) return entry;
    const file =
      build.out === null ? defaultOutput(entry.value, build.cwd) : resolve(build.cwd, build.out);
    const made = await codeOf(entry.value, { folder: dirname(file), checks: build });
    if (!made.ok) return made;
    const { notes, ...code } = made.value;
    const checked = await checkCode(code, { ...build, entry: entry.value, folder: dirname(file) });
    if (!checked.ok) return checked;
    const { descriptor: descriptorFile } = await writeOutput(file, {
      ...code,
      checked: checked.value,
    });
    const { hash, sha256, externals } = checked.value;
    const found = notesOf(build.judge?.(checked.value.descriptor) ?? []);
    return ok({ file, hash, sha256, descriptorFile, externals, notes: [...notes, ...found] });
  } catch (thrown) {
    return err(failureFrom(thrown, "BUILD_FAILED"));
  }
}

/** The entry's real path: packages are looked up from its real location. */
async function entryFile(path: string): Promise<Result<string, Failure>> {
  const stats = await stat(path).catch(() => null);
  if (stats === null) return err(failure("FILE_NOT_FOUND", `there is no file ${path}`, ENTRY_HINT));
  if (!stats.isFile()) return err(failure("USAGE", `${path} is not a file`, ENTRY_HINT));
  return ok(await realpath(path));
}

const ENTRY_HINT = "give the module that exports `run` and `descriptor`, such as src/flow.ts";

async function codeOf(
  entry: string,
  { folder, checks }: { folder: string; checks: YamlChecks },
): Promise<Result<WrittenCode & { notes: readonly string[] }, Failure>> {
  if (isYamlFile(entry)) {
    const compiled = await compileYamlFile(entry, checks);
    if (!compiled.ok) return compiled;
    const { code, warnings } = compiled.value;
    return ok({ code, sourceMap: null, rolldown: null, notes: warnings });
  }
  // Loads the bundler, which no other command needs.
  const { bundleCode } = await import("./bundle-code.ts");
  const bundled = await bundleCode({ entry, folder });
  return bundled.ok ? ok({ ...bundled.value, notes: [] }) : bundled;
}

async function checkCode(
  { code, sourceMap }: WrittenCode,
  build: BuildBundle & { folder: string },
): Promise<Result<CheckedBundle, Failure>> {
  const { checkBundle } = await import("../check/check-bundle.ts");
  return checkBundle({
    bytes: Buffer.from(code),
    place: `the bundle of ${build.entry}`,
    bases: {
      root: build.root,
      packagesBase: build.packagesBase,
      project: pathToFileURL(build.entry).href,
    },
    sidecar: null,
    checkRule: build.checkRule,
    sources: sourceMap === null ? null : { sourceMap, folder: build.folder },
  });
}
