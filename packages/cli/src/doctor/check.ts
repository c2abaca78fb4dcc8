/** One thing that was looked at. */
export type Check = {
  name: string;
  ok: boolean;
  message: string;
  /** What to do; null when there is nothing to do. Of a check that is ok: what to look at, for it may be a mistake. */
  fix: string | null;
};

/** What a check works with. */
export type Patient = {
  /** Absolute path of the storage root, which may not be there. */
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

/** Nothing is wrong with it yet, and it may be a mistake. */
export function doubtful(name: string, message: string, fix: string): Check {
  return { name, ok: true, message, fix };
}
