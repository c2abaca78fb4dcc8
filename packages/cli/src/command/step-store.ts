/** The store as a step in a sandbox reaches it: through the engine's socket, because the storage root is covered there. */
import { realpathSync } from "node:fs";
import {
  failure,
  parseJson,
  STEP_STORE_ENV,
  type StepStoreAddress,
  toJsonObject,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Io } from "./io.ts";

/** Null: this is no step in a sandbox, or the command is about another storage root. */
export function stepStore(env: Io["env"]): StepStoreAddress | null {
  const text = env[STEP_STORE_ENV];
  if (text === undefined) return null;
  const { socket, pass, root } = toJsonObject(parseJson(text)) ?? {};
  if (typeof socket !== "string" || typeof pass !== "string" || root !== rootOf(env)) return null;
  return { socket, pass, root };
}

/** What the engine carries out for it, in words. */
export const ERRANDS = "run, and wait, thread show and thread result for what the step has started";

/** For what needs the whole storage root. Throws `ACCESS_DENIED` in a sandbox, where it is covered. */
export function demandRoot({ env }: Pick<Io, "env">): void {
  if (stepStore(env) === null) return;
  throw new WorkflowError(
    failure(
      "ACCESS_DENIED",
      "this step runs in a sandbox (config.isolation), which covers the storage root",
      `from inside, these reach it: thread context of the step's own thread, cas get and put, of tasks what their agents and reviewers do, ${ERRANDS}`,
    ),
  );
}

function rootOf(env: Io["env"]): string {
  const root = storageRoot(env);
  try {
    return realpathSync(root);
  } catch {
    return root;
  }
}
