/** The result of one check. */
export type Check = {
  name: string;
  ok: boolean;
  message: string;
  /** What to do; null when there is nothing to do. For a check that is ok: something that may be a mistake. */
  fix: string | null;
};

/** What a check works with. */
export type DoctorContext = {
  /** Absolute path of the storage root, which may not exist. */
  root: string;
  env: NodeJS.ProcessEnv;
  nowMs: number;
};

export function fine(name: string, message: string): Check {
  return { name, ok: true, message, fix: null };
}

export function wrong(name: string, message: string, fix: string): Check {
  return { name, ok: false, message, fix };
}

/** Nothing is wrong yet, but it may be a mistake. */
export function doubtful(name: string, message: string, fix: string): Check {
  return { name, ok: true, message, fix };
}
