/** Where a step works, and where its calls did.
 *
 *  1. A directory is the step's when it is the same folder on disk as at the step's beginning, whatever the path: a
 *     folder that replaced it is a different one.
 *  2. An agent that reports no directory may use one shell for all its commands: it is followed from the step's
 *     directory on, as long as each command says where it goes.
 *  3. Files outside the step's repository (or its directory, if there is none) are not the step's. */
import { type Stats, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { JsonValue, ToolCallRecord } from "@uncaged/workflow-protocol";
import { isWithin, realPath } from "@uncaged/workflow-util";
import { effectOnShell, leadingDirectory } from "@uncaged/workflow-util/tool-rules";

export type StepPlace = {
  /** To be called with each call as it ends. */
  placeOf(call: ToolCallRecord): ToolCallRecord["place"];
  /** The step's directory was replaced by another folder. */
  wasReplaced(): boolean;
};

export function stepPlace(cwd: string): StepPlace {
  const own = folderAt(cwd);
  const root = repositoryOf(realPath(cwd));
  /** Persistent shells and the directory of each; null: unknown. */
  const shells = new Map<string, string | null>();
  const isOwn = (directory: string): boolean => own !== null && isSame(own, folderAt(directory));

  const placeOfCommand = (call: ToolCallRecord): ToolCallRecord["place"] => {
    const key = shellOf(call);
    const from = call.cwd ?? (shells.has(key) ? (shells.get(key) ?? null) : cwd);
    const led = leadingDirectory(call.subject);
    if (call.cwd === undefined && call.place === "unknown") {
      if (led === null || !isAbsolute(led)) return "unknown";
      return isOwn(led) ? "here" : "elsewhere";
    }
    const effect = effectOnShell(call.subject);
    const after = (directory: string): string | null => {
      if (from !== null) return resolve(from, directory);
      return isAbsolute(directory) ? directory : null;
    };
    if (effect !== "none") {
      forgetOldest(shells);
      shells.set(key, effect === "any" || from === null ? null : after(effect.directory));
    }
    // After anything else was done to a shell, its directory alone is not enough to know.
    if (from === null) return "unknown";
    const at = led === null ? from : after(led);
    if (at === null) return "unknown";
    return isOwn(at) ? "here" : "elsewhere";
  };
  const placeOfFiles = ({ subject, cwd: from = cwd }: ToolCallRecord): ToolCallRecord["place"] => {
    const paths = subject.split("\n").filter((path) => path !== "");
    const outside = paths.every((path) => !isWithin(root, realPath(resolve(from, path))));
    return paths.length > 0 && outside ? "elsewhere" : "here";
  };
  return {
    placeOf(call) {
      if (call.kind === "execute") return placeOfCommand(call);
      const touchesFiles = call.kind === "edit" || call.kind === "delete" || call.kind === "move";
      return touchesFiles ? placeOfFiles(call) : undefined;
    },
    wasReplaced: () => own !== null && !isOwn(cwd),
  };
}

/** Agents with persistent shells name the shell in the call. */
function shellOf({ input, subagent = "" }: ToolCallRecord): string {
  const named = SHELL_KEYS.map((key) => textIn(input, key)).find((text) => text !== null);
  return `${subagent}:${named ?? ""}`;
}

const SHELL_KEYS = ["shellId", "sessionId", "session_id"] as const;

function textIn(input: JsonValue, key: string): string | null {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return null;
  const found = Object.entries(input).find(([name]) => name === key)?.[1];
  return typeof found === "string" ? found : null;
}

const MOST_SHELLS = 1_000;

function forgetOldest(shells: Map<string, string | null>): void {
  if (shells.size < MOST_SHELLS) return;
  for (const key of shells.keys()) {
    // Not deleted: an unknown shell would start in the step's directory.
    shells.set(key, null);
  }
}

function folderAt(path: string): Stats | null {
  return statSync(path, { throwIfNoEntry: false }) ?? null;
}

function isSame(a: Stats, b: Stats | null): boolean {
  return b !== null && a.dev === b.dev && a.ino === b.ino;
}

/** The nearest parent folder that contains a `.git`. */
function repositoryOf(directory: string): string {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (folderAt(join(folder, ".git")) !== null) return folder;
    if (folder === dirname(folder)) return directory;
  }
}
