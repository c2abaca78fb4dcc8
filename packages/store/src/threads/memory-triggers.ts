/** The port in memory, for tests. */
import {
  type FileMark,
  type Trigger,
  type Triggers,
  type WatchedFile,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { nameTaken } from "./name-taken.ts";

export function memoryTriggers(): Triggers {
  const triggers = new Map<string, Trigger>();
  const files = new Map<string, Map<string, WatchedFile>>();
  const of = (name: string): Map<string, WatchedFile> => files.get(name) ?? new Map();
  return {
    async add(trigger, known) {
      const { name } = trigger;
      if (triggers.has(name)) throw new WorkflowError(nameTaken("trigger", name));
      triggers.set(name, { ...trigger, pausedAt: null });
      const state = "known" as const;
      files.set(name, new Map(known.map((each) => [each.file, { ...each, state }])));
    },
    get: async (name) => triggers.get(name) ?? null,
    list: async () => [...triggers.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    async pause({ name, nowMs }) {
      const found = triggers.get(name);
      if (found === undefined || found.pausedAt !== null) return false;
      triggers.set(name, { ...found, pausedAt: nowMs });
      return true;
    },
    async resume(name) {
      const found = triggers.get(name);
      if (found === undefined || found.pausedAt === null) return false;
      triggers.set(name, { ...found, pausedAt: null });
      return true;
    },
    async remove(name) {
      files.delete(name);
      return triggers.delete(name);
    },
    files: async (name) =>
      [...of(name).values()].sort((a, b) =>
        JSON.stringify(a.file) < JSON.stringify(b.file) ? -1 : 1,
      ),
    async take({ name, createdAt }, { file, mark }) {
      const found = triggers.get(name);
      if (found?.createdAt !== createdAt || found.pausedAt !== null) return false;
      const before = of(name).get(file);
      if (before !== undefined && isSameMark(before.mark, mark)) return false;
      of(name).set(file, { file, mark, state: "starting" });
      return true;
    },
    async note(name, file, to) {
      const found = of(name).get(file);
      if (found?.state !== "starting") return false;
      of(name).set(file, { file, mark: found.mark, ...to });
      return true;
    },
    close: async () => {},
  };
}

function isSameMark(a: FileMark, b: FileMark): boolean {
  return a.size === b.size && a.modifiedAt === b.modifiedAt && a.origin === b.origin;
}
