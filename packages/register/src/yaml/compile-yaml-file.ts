import { isUtf8 } from "node:buffer";
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { err, type Failure, failure, type Result } from "@uncaged/workflow-protocol";
import { readRegularFile } from "@uncaged/workflow-util";
import type { CompiledYaml } from "./compile-yaml.ts";
import type { YamlChecks } from "./yaml-checks.ts";

/** More than any text that is compiled. */
const MAX_FILE_BYTES: number = 1024 * 1024;

/** Whether a path names a workflow written as YAML. */
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
    return err(failure("FILE_NOT_FOUND", `there is no file ${path}`, await whereItMayBe(path)));
  }
  const kind = documentKind(read.value);
  if (kind !== null) return err(invalid(path, `is ${kind}, not plain text`, SAVE_AS_TEXT));
  if (!isUtf8(read.value)) return err(invalid(path, "is not UTF-8 text", SAVE_AS_TEXT));
  // Loads a YAML parser, which other commands do without.
  const { compileYaml } = await import("./compile-yaml.ts");
  return compileYaml(read.value.toString("utf8"), { place: path, checks });
}

/** A workflow to whose name an editor added its own extension; null: the name is fine. */
export function misnamedYaml(path: string): Failure | null {
  if (!/\.(?:txt|text|rtf|docx?|odt)$/i.test(path)) return null;
  const stem = path.replace(/\.[^./\\]+$/, "");
  const name = basename(isYamlFile(stem) ? stem : `${stem}.yaml`);
  return invalid(
    path,
    `is not recognized as a workflow: its name ends in ${extname(path)}`,
    `save it as plain text under the name ${name}, and give that name`,
  );
}

/** Text editors add an extension, and some systems hide it. */
async function whereItMayBe(path: string): Promise<string> {
  const other = `${path}.txt`;
  const found = await stat(other).catch(() => null);
  if (found === null) return "give the path of the file";
  return `there is ${other}; rename it: mv ${basename(other)} ${basename(path)}`;
}

/** What word processors and old editors write, recognized by how it begins. */
function documentKind(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 5).toString("latin1");
  if (head === "{\\rtf") return "a document in rich text";
  if (head.startsWith("PK\u0003\u0004")) return "a document of a word processor";
  return /^(?:\u00ff\u00fe|\u00fe\u00ff)/.test(head) ? "text in UTF-16" : null;
}

const SAVE_AS_TEXT = "save it as plain text in UTF-8: most editors have that under Save As";

function invalid(
  path: string,
  problem: string,
  hint = "give a workflow that is written as YAML",
): Failure {
  return failure("YAML_INVALID", `${path} ${problem}`, hint);
}
