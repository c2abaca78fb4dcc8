/** Runs the bytes of a bundle that were checked, whatever happens to its file.
 *
 *  1. The module has the URL of its file, for stack traces, `import.meta.url` and the packages that it imports; its
 *     text comes from memory. So a replacement for the file, or for a folder above it, never runs.
 *  2. A process keeps a module under its URL for good. One URL is one bundle: different bytes with the same hash,
 *     which can be created on purpose, are refused. */
import { realpathSync } from "node:fs";
import { registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import type { OpenedBundle } from "./open-bundle.ts";

/** Returns its exports. Throws what its import throws, and `BUNDLE_TAMPERED`. */
export async function importBundle(bundle: OpenedBundle): Promise<{ run?: unknown }> {
  const { file, hash, sha256, bytes } = bundle;
  const url = pathToFileURL(
    join(realpathSync(resolve(file, "../../..")), "bundles", hash, "bundle.esm.js"),
  ).href;
  const before = sums.get(url);
  if (before !== undefined && before !== sha256) throw another(file);
  if (before === undefined) hookOnce();
  sums.set(url, sha256);
  texts.set(url, bytes);
  try {
    return await import(url);
  } finally {
    texts.delete(url);
  }
}

/** SHA-256 of each module that this process has loaded or requested. */
const sums = new Map<string, string>();
/** Those being imported. */
const texts = new Map<string, Buffer>();
let hooked = false;

function hookOnce(): void {
  if (hooked) return;
  hooked = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      // By default a link in its place would be followed to another URL.
      if (!sums.has(specifier)) return nextResolve(specifier, context);
      return { url: specifier, format: "module", shortCircuit: true };
    },
    load(url, context, nextLoad) {
      const source = texts.get(url);
      if (source !== undefined) return { format: "module", source, shortCircuit: true };
      return nextLoad(url, context);
    },
  });
}

function another(file: string): WorkflowError {
  return new WorkflowError(
    failure(
      "BUNDLE_TAMPERED",
      `${file}: this process already runs another bundle with the same hash`,
      "nothing was run; build the workflow again with another description",
    ),
  );
}
