/** The world of a command as a value, so that tests can lend it another. */
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
  /** Makes room for a bundle's code in this process: what it prints goes to stderr, or nowhere, so that the
   *  command's own documents stand alone, and a rejection that it forgot ends nothing. */
  hostBundle: (prints: "to stderr" | "nowhere") => void;
  /** Aborts at the first Ctrl-C or TERM from now on, which then no longer end the process;
   *  the second one does. A command that never asks is ended by the first. */
  interruption: () => AbortSignal;
};

export type Sink = {
  /** Resolves when the system has taken the text. */
  write(text: string): Promise<void>;
  isTerminal: boolean;
  /** Whether colours are wanted there. */
  color: boolean;
  /** Characters a line holds; null when it is no terminal. */
  columns: number | null;
};

export type Input = {
  /** `data`: a file, a pipe or a socket, which may hold something. `none`: closed or a null device. */
  kind: "terminal" | "data" | "none";
  /** Bytes as they come. */
  chunks: () => AsyncIterable<Uint8Array>;
};
