import { resolve } from "node:path";
import { err, type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { readBundleFile } from "./bundle/read-bundle-file.ts";
import { type Companions, readCompanions, readTypes } from "./bundle/read-companions.ts";
import type { BundleToStore } from "./bundle/store-bundle.ts";
import type { ExternalBases } from "./externals/external-bases.ts";
import { agentsToAdd } from "./yaml/agents-to-add.ts";
import { compileYamlFile, isYamlFile, misnamedYaml } from "./yaml/compile-yaml-file.ts";
import type { YamlChecks } from "./yaml/yaml-checks.ts";
import type { YamlSource } from "./yaml/yaml-source.ts";

export type WorkflowFileToCheck = ExternalBases &
  YamlChecks & {
    /** The bundle, or a workflow written as YAML; absolute or relative to the working directory. */
    file: string;
    /** Type declarations to store next to it; null: none. */
    types: string | null;
  };

export type CheckedWorkflowFile = BundleToStore & {
  /** For people: what is allowed but may be a mistake. */
  notes: string[];
  /** Of a workflow written as YAML; null: it is a bundle. */
  source: YamlSource | null;
};

/** Reads a bundle once, or compiles a YAML file to one, and checks it in a restricted child process. Nothing is
 *  written; fails like `workflow add`. */
export async function checkWorkflowFile(
  asked: WorkflowFileToCheck,
): Promise<Result<CheckedWorkflowFile, Failure>> {
  const place = resolve(asked.file);
  const misnamed = misnamedYaml(place);
  if (misnamed !== null) return err(misnamed);
  const read = isYamlFile(place) ? await readYaml(place, asked) : await readBundle(place);
  if (!read.ok) return read;
  const { bytes, companions, notes, source } = read.value;
  const types = asked.types === null ? ok(null) : await readTypes(resolve(asked.types));
  if (!types.ok) return types;
  const { root, packagesBase, checkRule } = asked;
  // Loads a lexer and the schemas, which other commands do without.
  const { checkBundle } = await import("./check/check-bundle.ts");
  const checked = await checkBundle({
    bytes,
    place,
    bases: { root, packagesBase },
    sidecar: companions?.descriptor ?? null,
    checkRule,
  });
  if (!checked.ok) return checked;
  const rolldown = companions?.rolldownFor(checked.value.sha256) ?? null;
  return ok({
    ...checked.value,
    rolldown,
    types: types.value,
    yaml: source?.text ?? null,
    notes,
    source,
  });
}

type ReadFile = { bytes: Buffer; companions: Companions | null } & Pick<
  CheckedWorkflowFile,
  "notes" | "source"
>;

async function readBundle(place: string): Promise<Result<ReadFile, Failure>> {
  const bytes = await readBundleFile(place);
  if (!bytes.ok) return bytes;
  return ok({
    bytes: bytes.value,
    companions: await readCompanions(place),
    notes: [],
    source: null,
  });
}

async function readYaml(
  place: string,
  asked: WorkflowFileToCheck,
): Promise<Result<ReadFile, Failure>> {
  const compiled = await compileYamlFile(place, asked);
  if (!compiled.ok) return compiled;
  const { code, warnings, agents, source } = compiled.value;
  const notes = [...warnings, ...(await agentsToAdd(asked.root, agents))];
  return ok({ bytes: Buffer.from(code), companions: null, notes, source });
}
