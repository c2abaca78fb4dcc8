/** A process as its system describes it, and where to read about all of them. */
export type ProcessRow = {
  pid: number;
  parent: number;
  group: number;
  /** 0 where the system does not say. */
  session: number;
  /** Opaque; compared for equality only. */
  startedAt: string;
  /** Dead already, and only waits for its parent to notice. */
  defunct: boolean;
  /** Does nothing until somebody lets it go on (SIGSTOP, Ctrl-Z, a debugger). */
  stopped: boolean;
};

export type ProcessTable = {
  /** Null when there is no such process or it may not be looked at. Never throws. */
  read(pid: number): ProcessRow | null;
  list(): ProcessRow[];
  /** Value of one variable in the environment that each process was started with. Processes that
   *  lack it, or whose environment may not be looked at, are left out. */
  variable(name: string): Map<number, string>;
  /** Boot of the system and pid namespace, `<boot>/<namespace>`. */
  bootId(): string;
  /** Tells this machine from every other one, whatever it is called; null where the system does not say. */
  machine(): string | null;
};
