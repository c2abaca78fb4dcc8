/** How commands of an agent reach the store from a sandbox (`config.isolation`), where the storage root is covered: a
 *  socket that the engine serves for one step.
 *
 *  One line of JSON each way, then the connection is closed. Before the answer to a `command` comes what it writes, a line
 *  for each piece; whoever closes the connection meanwhile ends it. */
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
  | { call: "task"; ask: StepTaskRequest }
  | ({ call: "command" } & StepCommand);

/** A command that the engine carries out, outside the sandbox, in the name of the step. */
export type StepCommand = {
  /** Behind `uncaged-workflow`. */
  words: readonly string[];
  /** What stdin holds; null: nothing. */
  input: string | null;
  /** Where it was called, absolute. */
  cwd: string;
};

/** What such a command writes. */
export type StepCommandPiece = { to: "stdout" | "stderr"; text: string };

/** Environment variable with a `StepErrand` as JSON: this process carries out a `StepCommand`. */
export const STEP_ERRAND_ENV = "UNCAGED_STEP_ERRAND" as const;

/** What the command may do. */
export type StepErrand = {
  /** The thread of the step. */
  threadId: string;
  /** Where the step works: the only folder in the storage root in which a thread may be started. */
  folder: string;
  cwd: string;
  /** What the step has started before: no other thread is there for it. */
  threads: readonly string[];
};

/** What the command tells the engine, over the channel of its process: it has started a thread. */
export type StepErrandReport = { started: string };

/** The request with `pass`, as it is sent. */
export type StepStoreMessage = StepStoreRequest & { pass: string };

/** `get`: the blob, null if there is none. `put`: the hash. `context`: the page, and its text. `task`: what was asked.
 *  `command`: its exit code. */
export type StepStoreAnswer =
  | { ok: true; blob: string | null }
  | { ok: true; hash: string }
  | { ok: true; page: unknown; text: string }
  | { ok: true; answer: StepTaskAnswer }
  | { ok: true; exitCode: number }
  | { ok: false; error: Failure };
