/** The YAML of a registered version, whose bundle is the same whoever compiles it again. */
import { parseJson, type WorkflowData } from "@uncaged/workflow-protocol";
import { readRegularFile } from "@uncaged/workflow-util";
import { bundleFiles } from "./bundle/bundle-files.ts";
import { MAX_BUNDLE_BYTES } from "./bundle/read-bundle-file.ts";
import { compileYaml } from "./yaml/compile-yaml.ts";
import { DATA_AFTER, DATA_BEFORE } from "./yaml/module-text.ts";
import { writeWorkflow } from "./yaml/write-workflow.ts";
import type { YamlChecks } from "./yaml/yaml-checks.ts";

/** As its author wrote it, where that is kept, else written from the bundle; null: the workflow is code, or says
 *  something that YAML cannot. */
export async function workflowText(
  root: string,
  { hash, bytes }: { hash: string; bytes: Buffer },
  checks: YamlChecks,
): Promise<string | null> {
  const code = bytes.toString("utf8");
  if (!code.startsWith(DATA_BEFORE) || !code.endsWith(DATA_AFTER)) return null;
  const isSame = (text: string): boolean => {
    const compiled = compileYaml(text, { place: "the text", checks });
    return compiled.ok && compiled.value.code === code;
  };
  // No digest covers the file: it is the version's text only if it compiles to it.
  const kept = await readRegularFile(bundleFiles(root, hash).yaml, MAX_BUNDLE_BYTES);
  if (kept.ok && isSame(kept.value.toString("utf8"))) return kept.value.toString("utf8");
  const written = writtenAnew(code);
  return written !== null && isSame(written) ? written : null;
}

function writtenAnew(code: string): string | null {
  try {
    const literal = parseJson(code.slice(DATA_BEFORE.length, -DATA_AFTER.length));
    // Whatever it is: only what compiles to the same bundle is taken.
    const data = JSON.parse(String(literal)) as WorkflowData;
    return writeWorkflow(data);
  } catch {
    return null;
  }
}
