/** Edits of the text of `workflow.yaml` that leave everything else in it alone. */
import { type Document, isMap, parseDocument, YAMLMap } from "yaml";
import { parseRegistry } from "./parse-registry.ts";
import type { RegistryFile } from "./registry.ts";

/** Returns a new file; writes nothing. */
export function editDocument(
  file: RegistryFile,
  change: (document: Document) => void,
): RegistryFile {
  const document: Document = parseDocument(file.text);
  change(document);
  // Long texts must not be folded into several lines: a person would not find them again.
  const written = parseRegistry(document.toString({ lineWidth: 0 }), "workflow.yaml");
  if (!written.ok) throw new Error(`an edit broke the registry: ${written.error.message}`);
  return written.value;
}

/** The mapping that was found, or a new one in its place. */
export function childMap(found: unknown, attach: (made: YAMLMap) => void): YAMLMap {
  if (isMap(found) && found.items.length > 0) return found;
  const made = new YAMLMap();
  if (isMap(found)) made.comment = found.comment ?? null;
  attach(made);
  return made;
}
