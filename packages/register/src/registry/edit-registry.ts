/** Edits of `workflow.yaml`: a file in, a new file out, nothing written.
 *
 *  1. An edit changes only what it is about; a person's comments and unknown keys stay.
 *  2. An edit that changes nothing returns the same file object. */

import {
  type BundleVersion,
  err,
  type Failure,
  ok,
  type RegistryEntry,
  type Result,
  type StoreKind,
} from "@uncaged/workflow-protocol";
import { type Document, isMap, isScalar, isSeq, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { childMap, editDocument } from "./edit-document.ts";
import { findEarlier } from "./find-earlier.ts";
import type { RegistryFile } from "./registry.ts";
import { unknownWorkflow } from "./unknown-workflow.ts";

export type Edited<T> = { file: RegistryFile; value: T };

/** Puts a version on top of a name; the previous one becomes the newest of its history. Registering what is already
 *  on top changes nothing. Returns the hash that was on top before. */
export function registerVersion(
  file: RegistryFile,
  registration: { name: string; version: BundleVersion },
): Edited<{ previous: string | null }> {
  const { name, version } = registration;
  const entry = file.registry.workflows.get(name);
  const previous = entry?.hash ?? null;
  if (entry !== undefined && entry.hash === version.hash && entry.sha256 === version.sha256) {
    return { file, value: { previous } };
  }
  const edited = editDocument(file, (document) => {
    const node = entryNode(document, name);
    if (entry === undefined) setVersion(node, version);
    else historyNode(node).items.unshift(replaceVersion(node, version));
    historyNode(node);
  });
  return { file: edited, value: { previous } };
}

/** Restores an earlier version: the newest of the history, or the newest one with `hash`. It trades places with the
 *  current one, so nothing is forgotten and rolling back twice undoes it. */
export function rollbackVersion(
  file: RegistryFile,
  request: { name: string; hash: string | null },
): Result<Edited<{ hash: string; previous: string }>, Failure> {
  const found = findEarlier(file.registry.workflows, request);
  if (!found.ok) return found;
  const { entry, earlier } = found.value;
  const previous = entry.hash;
  if (earlier === null) return ok({ file, value: { hash: previous, previous } });
  const edited = editDocument(file, (document) => {
    const node = entryNode(document, request.name);
    const history = historyNode(node);
    const [item] = history.items.splice(earlier.at, 1);
    if (isMap(item)) history.items.unshift(tradePlaces(node, item));
  });
  return ok({ file: edited, value: { hash: earlier.version.hash, previous } });
}

/** Forgets a name and its history. The bundles stay, because threads may run them. */
export function removeEntry(
  file: RegistryFile,
  name: string,
): Result<Edited<{ entry: RegistryEntry }>, Failure> {
  const entry = file.registry.workflows.get(name);
  if (entry === undefined) return err(unknownWorkflow(file.registry.workflows, name));
  return ok({
    file: editDocument(file, (document) => document.deleteIn(["workflows", name])),
    value: { entry },
  });
}

/** Sets where new blobs go. */
export function setStoreKind(file: RegistryFile, kind: StoreKind): Edited<object> {
  if (file.registry.settings.store === kind) return { file, value: {} };
  const edited = editDocument(file, (document) => {
    childMap(document.get("config"), (made) => document.set("config", made)).set("store", kind);
  });
  return { file: edited, value: {} };
}

/** The mapping of one name, created when it is missing. */
function entryNode(document: Document, name: string): YAMLMap {
  const workflows = childMap(document.get("workflows"), (made) => document.set("workflows", made));
  return childMap(workflows.get(name), (made) => workflows.set(name, made));
}

function historyNode(entry: YAMLMap): YAMLSeq {
  const found = entry.get("history");
  if (isSeq(found)) {
    // `[]` is written in brackets; what is added to it should not be.
    if (found.items.length === 0) found.flow = entry.flow ?? false;
    return found;
  }
  const made = new YAMLSeq();
  entry.set("history", made);
  return made;
}

/** Returns what the entry said about the replaced version, with its comments. */
function replaceVersion(entry: YAMLMap, version: BundleVersion): YAMLMap {
  const earlier = new YAMLMap();
  setVersion(earlier, version);
  return tradePlaces(entry, earlier);
}

/** Moves everything in a history item into the entry, and what the entry had under the same keys into the item.
 *  Whole pairs move, so that a person's comment stays with its version. */
function tradePlaces(entry: YAMLMap, item: YAMLMap): YAMLMap {
  item.items = item.items.flatMap((pair) => {
    const name = nameOf(pair.key);
    if (name === "history") return [pair];
    const at = entry.items.findIndex(({ key }) => nameOf(key) === name);
    if (at >= 0) return entry.items.splice(at, 1, pair);
    entry.items.push(pair);
    return [];
  });
  return item;
}

function nameOf(key: unknown): unknown {
  return isScalar(key) ? key.value : key;
}

function setVersion(node: YAMLMap, version: BundleVersion): void {
  node.set("hash", quoted(version.hash));
  node.set("sha256", quoted(version.sha256));
  node.set("timestamp", version.timestamp);
}

/** Some hashes look like numbers: `0000000000000`, `12345E6789012`. */
function quoted(text: string): Scalar<string> {
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}
