import {
  err,
  type Failure,
  failure,
  type JsonValue,
  type Result,
} from "@uncaged/workflow-protocol";
import { changed, type Step } from "../change.ts";
import { type Doc, readDocument } from "../document.ts";
import type { Edit } from "../edit.ts";
import { type Path, textAt, treeAt } from "../tree.ts";

/** The steps of an operation from the text as it is; a text says why there are none. */
export function operated(
  text: string,
  stepsOf: (doc: Doc) => readonly Step[] | string,
): Result<Edit, Failure> {
  const doc = readDocument(text);
  if (!doc.ok) return doc;
  const steps = stepsOf(doc.value);
  if (typeof steps === "string") return err(refused(steps));
  return changed(text, steps);
}

function refused(why: string): Failure {
  return failure("YAML_INVALID", why, "change it in the text, or take another way");
}

export function setDescription(text: string, description: string): Result<Edit, Failure> {
  return changed(text, [set(["description"], description)]);
}

export function set(path: Path, value: JsonValue): Step {
  return { kind: "set", path, value };
}

/** A text that may be left out: null removes it. */
export function setOrRemove({ tree }: Doc, path: Path, value: JsonValue): Step[] {
  if (value !== null) return [set(path, value)];
  return treeAt(tree, path) === undefined ? [] : [{ kind: "remove", path }];
}

/** Where the rules and other expressions of a text stand. */
export function expressionsIn(doc: Doc, entries: readonly Path[]): { path: Path; text: string }[] {
  const found = entries.flatMap((path) => {
    const at = (key: string | null): { path: Path; text: string }[] => {
      const place = key === null ? path : [...path, key];
      const text = textAt(doc.tree, place);
      return text === null ? [] : [{ path: place, text }];
    };
    return ["when", "prompt", "location", "each"].flatMap(at);
  });
  const result = textAt(doc.tree, ["result"]);
  return result === null ? found : [...found, { path: ["result"], text: result }];
}
