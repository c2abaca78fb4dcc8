/** Tries to add what should be refused, and checks what the attempt leaves behind. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type AddWorkflow, addWorkflow } from "./add-workflow.ts";
import {
  bundleSource,
  emptyBase,
  lockedChildren,
  plant,
  scratchFolder,
  scratchRegistry,
  tree,
  UNCHECKED,
} from "./scratch.test.helper.ts";

/** Puts something into a folder and returns its path. */
export type Make = (folder: string) => string;

export type Attempt = {
  code: string;
  message: string;
  hint: string;
  /** Files of the storage root that changed, new files in the child's directory, and processes that still run. */
  left: string[];
};

export async function attempt(
  make: Make,
  whenOver: (clean: () => void) => void,
  options: Partial<AddWorkflow> = {},
): Promise<Attempt> {
  const folder = scratchFolder(whenOver);
  const root = join(folder, "root");
  plant(root, { "workflow.yaml": "# mine\n" });
  const file = make(folder);
  const before = JSON.stringify(tree(root));
  // The child's working directory, where a trace or a core file would appear.
  const beside = new Set(readdirSync("/"));
  const added = await addWorkflow({
    root,
    packagesBase: emptyBase(folder),
    name: "flow",
    file,
    types: null,
    ...UNCHECKED,
    registry: scratchRegistry(root),
    nowMs: 1,
    ...options,
  });
  const changed = JSON.stringify(tree(root)) === before ? [] : Object.keys(tree(root));
  const left = [
    ...changed,
    ...readdirSync("/").filter((name) => !beside.has(name)),
    ...lockedChildren(),
  ];
  const { code, message, hint } = added.ok ? { code: "ADDED", message: "", hint: "" } : added.error;
  return { code, message, hint, left };
}

/** A file with this text. */
export function source(text: string | ((folder: string) => string)): Make {
  return (folder) => {
    plant(folder, { "flow.esm.js": typeof text === "string" ? text : text(folder) });
    return join(folder, "flow.esm.js");
  };
}

/** A bundle that is valid except for what it does when it is imported. */
export function atImport(code: string | ((folder: string) => string)): Make {
  return source((folder) => bundleSource(typeof code === "string" ? code : code(folder)));
}
