/** A command that the engine carries out, outside, for the agent of a step in a sandbox (`StepErrand`).
 *
 *  1. What is not named as fit for that is refused: a command, or an option.
 *  2. No thread is there but that of the step and those that the step has started.
 *  3. No thread works in the storage root, except where the step itself works. */
import { realpathSync } from "node:fs";
import type { Engine } from "@uncaged/workflow-execute";
import {
  failure,
  parseJson,
  STEP_ERRAND_ENV,
  type StepErrand,
  type StepErrandReport,
  type ThreadStore,
  toJsonObject,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { isWithin } from "@uncaged/workflow-util";
import type { Command } from "./command.ts";
import type { Io } from "./io.ts";
import type { Given, Option } from "./options.ts";
import { ERRANDS } from "./step-store.ts";

/** Null: this process is on none. Throws `ACCESS_DENIED` for one that says not what it is: then nothing is allowed. */
export function errandOf(env: Io["env"]): StepErrand | null {
  const text = env[STEP_ERRAND_ENV];
  if (text === undefined) return null;
  const { threadId, folder, cwd, threads } = toJsonObject(parseJson(text)) ?? {};
  const isWhole = [threadId, folder, cwd].every((each) => typeof each === "string");
  if (!isWhole || !Array.isArray(threads)) throw denied(`${STEP_ERRAND_ENV} is no errand`);
  return {
    threadId: String(threadId),
    folder: String(folder),
    cwd: String(cwd),
    threads: threads.filter((each) => typeof each === "string"),
  };
}

/** Throws `ACCESS_DENIED`. */
export function demandFit(command: Command, given: Given): void {
  if (command.errand === undefined) throw denied("this command is not carried out for a step");
  const { options } = command.errand;
  const refused = command.options.find((each) => !options.includes(each) && isGiven(each, given));
  if (refused !== undefined) throw denied(`${refused.flags} is for commands outside`);
}

function isGiven(option: Option<unknown>, given: Given): boolean {
  const value = given(option);
  return value !== null && value !== false && !(Array.isArray(value) && value.length === 0);
}

/** `root`: the storage root. Throws `ACCESS_DENIED`. */
export function demandFolder(errand: StepErrand, root: string, folder: string): void {
  const asked = realpathSync(folder);
  const [own, covered] = [realpathSync(errand.folder), realpathSync(root)];
  const ownIsInRoot = own !== covered && isWithin(covered, own);
  if (!isWithin(covered, asked) || (ownIsInRoot && isWithin(own, asked))) return;
  throw denied(`${JSON.stringify(folder)} is in the storage root: no thread works there`);
}

/** The engine as it is for the errand. */
export function forErrand(engine: Engine, errand: StepErrand): Engine {
  return { ...engine, store: threadsOf(engine.store, errand, tellEngine) };
}

/** The same store with the threads of the errand only; `tell` learns which it starts. */
export function threadsOf(
  store: ThreadStore,
  { threadId, threads }: Pick<StepErrand, "threadId" | "threads">,
  tell: (report: StepErrandReport) => void,
): ThreadStore {
  const there = new Set([threadId, ...threads]);
  // The same key in another thread is another key.
  const own = (key: string): string => `${threadId} ${key}`;
  return {
    ...store,
    get: async (id) => (there.has(id) ? store.get(id) : null),
    async match(part, limit) {
      const named = [...there].filter((id) => id.startsWith(part) || id.endsWith(part));
      return named.slice(0, limit);
    },
    list: async (filter) =>
      (await store.list(filter)).filter((thread) => there.has(thread.threadId)),
    startedWith: (key) => store.startedWith(own(key)),
    async create(thread, key) {
      const made = await store.create(thread, key === null ? null : own(key));
      there.add(made.thread.threadId);
      tell({ started: made.thread.threadId });
      return made;
    },
  };
}

function tellEngine(report: StepErrandReport): void {
  process.send?.(report);
}

function denied(message: string): WorkflowError {
  const hint = `from a sandbox (config.isolation), these are carried out: ${ERRANDS}`;
  return new WorkflowError(failure("ACCESS_DENIED", message, hint));
}
