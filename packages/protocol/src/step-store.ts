/** How commands of an agent reach the store from a sandbox (`config.isolation`), where the storage root is covered: a
 *  socket that the engine serves for one step.
 *
 *  One line of JSON each way, then the connection is closed. */
import type { Failure } from "./failure.ts";
import type { StepTaskAnswer, StepTaskRequest } from "./task.ts";

/** Of one request, as it is sent. */
export const STEP_STORE_REQUEST_BYTES: number = 16 * 1024 * 1024;

/** Environment variable with a `StepStoreAddress` as JSON. Its name must not look like that of a secret: agents keep such
 *  variables from their commands. */
export const STEP_STORE_ENV = "UNCAGED_STEP_STORE" as const;

export type StepStoreAddress = {
  /** Absolute path. */
  socket: string;
  /** Known to this step's processes only: those of another step may see the socket. */
  pass: string;
  /** The storage root. A command that names another one has nothing to do with this. */
  root: string;
};

/** All that is served. `context` is of the step's own thread. */
export type StepStoreRequest =
  | { call: "get"; hash: string }
  | { call: "put"; text: string }
  | { call: "context"; thread: string; budgetChars: number | null; before: number | null }
  | { call: "task"; ask: StepTaskRequest };

/** The request with `pass`, as it is sent. */
export type StepStoreMessage = StepStoreRequest & { pass: string };

/** `get`: the blob, null if there is none. `put`: the hash. `context`: the page, and its text. `task`: what was asked. */
export type StepStoreAnswer =
  | { ok: true; blob: string | null }
  | { ok: true; hash: string }
  | { ok: true; page: unknown; text: string }
  | { ok: true; answer: StepTaskAnswer }
  | { ok: false; error: Failure };
