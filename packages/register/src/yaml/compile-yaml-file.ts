import { isUtf8 } from "node:buffer";
import { extname } from "node:path";
import { err, type Failure, failure, type Result } from "@uncaged/workflow-protocol";
import { readRegularFile } from "../bundle/read-regular-file.ts";
import type { CompiledYaml } from "./compile-yaml.ts";
import type { YamlChecks } from "./yaml-checks.ts";

/** More than any text that is compiled has. */
const MAX_FILE_BYTES: number = 1024 * 1024;

/** Whether a path names a workflow that is written as YAML. */
export function isYamlFile(path: string): boolean {
  return [".yaml", ".yml"].includes(extname(path).toLowerCase());
}

/** Reads and compiles a file. `FILE_NOT_FOUND`, or `YAML_INVALID` for what cannot be a workflow. */
export async function compileYamlFile(
  path: string,
  checks: YamlChecks,
): Promise<Result<CompiledYaml, Failure>> {
  const read = await readRegularFile(path, MAX_FILE_BYTES);
  if (!read.ok) {
    if (!read.error.absent) return err(invalid(path, read.error.problem));
    return err(failure("FILE_NOT_FOUND", `there is no file ${path}`, "give the path of the file"));
  }
  if (!isUtf8(read.value)) return err(invalid(path, "is not UTF-8 text"));
  // Loads a YAML parser, which other commands do without.
  const { compileYaml } = await import("./compile-yaml.ts");
  return compileYaml(read.value.toString("utf8"), { place: path, checks });
}

function invalid(path: string, problem: string): Failure {
  return failure("YAML_INVALID", `${path} ${problem}`, "give a workflow that is written as YAML");
}
