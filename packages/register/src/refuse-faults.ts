/** Whether a workflow may be registered as it is: one with a fault may not, unless it is wanted all the same. */
import { basename } from "node:path";
import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  type WorkflowDescriptor,
} from "@uncaged/workflow-protocol";
import { type Finding, type Judge, notesOf } from "./check/finding.ts";
import { shownInYaml, type YamlSource } from "./yaml/yaml-source.ts";

export type Judged = {
  file: string;
  /** null: it was not written as YAML. */
  source: YamlSource | null;
  descriptor: WorkflowDescriptor;
};

/** What people should know of it all the same; `UNSOUND_WORKFLOW` with every fault and its place. */
export function refuseFaults(
  judged: Judged,
  { judge, force = false }: { judge?: Judge; force?: boolean },
): Result<string[], Failure> {
  const findings = judge?.(judged.descriptor) ?? [];
  const faults = findings.filter(({ level }) => level === "fault");
  if (faults.length > 0 && !force) return err(unsound(judged, faults));
  return ok(notesOf(findings));
}

function unsound({ file, source }: Judged, faults: readonly Finding[]): Failure {
  const shown = source === null ? null : shownInYaml(source, faults);
  const count = faults.length === 1 ? "one fault" : `${faults.length} faults`;
  const listed = notesOf(faults).map((note) => `  ${note}`);
  const message = shown ?? `${basename(file)} has ${count}\n${listed.join("\n")}`;
  return failure(
    "UNSOUND_WORKFLOW",
    message,
    "correct it at the named places, or add it anyway with --force; nothing was changed",
  );
}
