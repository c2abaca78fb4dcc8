import type { Engine } from "@uncaged/workflow-execute";

/** A command's environment as a value, so that tests can replace it. */
export type Io = {
  env: NodeJS.ProcessEnv;
  /** Absolute. */
  cwd: string;
  /** Whether this command's document goes to stdout as JSON. */
  json: boolean;
  stdin: Input;
  stdout: Sink;
  stderr: Sink;
  /** Unix milliseconds. */
  now: () => number;
  /** Prepares this process to run a bundle's code: what it prints goes to stderr, or nowhere, so that the command's
   *  own documents stay clean, and a rejection that it does not handle ends nothing. */
  hostBundle: (prints: "to stderr" | "nowhere") => void;
  /** Aborts at the first Ctrl-C or TERM from now on, which then no longer ends the process; the second one does. A
   *  command that never calls this is ended by the first. */
  interruption: () => AbortSignal;
  /** The same for a command that ends in two stages: the second one aborts `second`, the third ends the process. */
  interruptions: () => { first: AbortSignal; second: AbortSignal };
  /** An engine that stays open for several commands, of a server; left out: each command opens its own. */
  engine?: Engine;
};

export type Sink = {
  /** Resolves when the system has accepted the text. */
  write(text: string): Promise<void>;
  isTerminal: boolean;
  /** Whether to use colours. */
  color: boolean;
  /** Characters per line; null when it is not a terminal. */
  columns: number | null;
};

export type Input = {
  /** `data`: a file, a pipe or a socket, which may contain something. `none`: closed or a null device. */
  kind: "terminal" | "data" | "none";
  /** Bytes as they arrive. */
  chunks: () => AsyncIterable<Uint8Array>;
};
