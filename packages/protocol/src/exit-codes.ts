/** Process exit codes of every command. Scripts rely on them. */
export const EXIT = {
  success: 0,
  failure: 1,
  usage: 2,
  invalidTransition: 3,
  git: 4,
  storage: 5,
  conflict: 6,
  waitsForPerson: 7,
  aborted: 130,
} as const;

export type ExitKind = keyof typeof EXIT;
export type ExitCode = (typeof EXIT)[ExitKind];
