/** A process as the system describes it, and the source of all of them. */
export type ProcessRow = {
  pid: number;
  parent: number;
  group: number;
  /** 0 where the system does not report it. */
  session: number;
  /** Opaque; compared for equality only. */
  startedAt: string;
  /** Already dead; waits only for its parent to reap it. */
  defunct: boolean;
  /** Does nothing until it is continued (SIGSTOP, Ctrl-Z, a debugger). */
  stopped: boolean;
};

export type ProcessTable = {
  /** Null when there is no such process or it may not be inspected. Never throws. */
  read(pid: number): ProcessRow | null;
  list(): ProcessRow[];
  /** One environment variable's value for each process, as of its start. Processes that lack it, or whose
   *  environment may not be read, are left out. */
  variable(name: string): Map<number, string>;
  /** Boot of the system and pid namespace, `<boot>/<namespace>`. */
  bootId(): string;
  /** Distinguishes this machine from every other one, whatever its name; null where the system does not report it. */
  machine(): string | null;
};
