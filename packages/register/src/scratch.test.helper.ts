/** What the tests of this package share: temporary folders, trees to compare, and small bundles. */
import { spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import type { WorkflowDescriptor } from "@uncaged/workflow-protocol";
import { type FileRegistry, fileRegistry } from "./registry/file-registry.ts";
import type { YamlChecks } from "./yaml/yaml-checks.ts";

/** A folder that is removed when `whenOver` says so, such as vitest's `onTestFinished`. */
export function scratchFolder(whenOver: (clean: () => void) => void): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "register-")));
  whenOver(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files given as path → text. */
export function plant(folder: string, files: { readonly [path: string]: string }): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

/** Everything below a folder, as path → text of files, or the kind of anything else. */
export function tree(folder: string): { [path: string]: string } {
  const found: { [path: string]: string } = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    found[relative(folder, path)] = stats.isFile() ? readFileSync(path, "utf8") : kindOf(stats);
  }
  return found;
}

function kindOf(stats: ReturnType<typeof lstatSync>): string {
  if (stats === undefined) return "gone";
  return stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "special";
}

/** Command lines of processes started by this one that still run the locked child. */
export function lockedChildren(): string[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "ppid=,stat=,args="], { encoding: "utf8" });
  return stdout
    .split("\n")
    .filter((line) => line.trim().startsWith(`${process.pid} `) && line.includes("locked-child"));
}

export const DESCRIPTOR: WorkflowDescriptor = {
  description: "Says hello",
  roles: {
    greeter: { description: "Greets", systemPrompt: "Say hello.", schema: { type: "object" } },
  },
  graph: {
    edges: [
      {
        from: "__start__",
        to: "greeter",
        condition: "FALLBACK",
        when: null,
        prompt: null,
        location: null,
      },
      {
        from: "greeter",
        to: "__end__",
        condition: "done",
        when: "last.meta.done",
        prompt: null,
        location: null,
      },
    ],
  },
};

/** A valid bundle. `before` is executed when it is imported. */
export function bundleSource(before = "", descriptor: unknown = DESCRIPTOR): string {
  return `${before}
export async function* run() { return { returnCode: 0, summary: "hello" }; }
export const descriptor = ${JSON.stringify(descriptor)};
`;
}

/** A module URL with no packages around it. */
export function emptyBase(folder: string): string {
  return new URL(`file://${folder}/engine/cli.js`).href;
}

/** For tests with one process: there is nobody to exclude. */
export async function alone<T>(section: () => T): Promise<T> {
  return section();
}

/** The registry of a storage root that no other process uses. */
export function scratchRegistry(root: string): FileRegistry {
  return fileRegistry({ root, exclusively: alone });
}

/** The moderator's checks, which most tests here do not need. */
export const UNCHECKED: YamlChecks = {
  checkRule: () => null,
  checkTemplate: () => null,
  checkPattern: () => null,
};
