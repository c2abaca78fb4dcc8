import { looksSecret } from "@uncaged/workflow-util";

/** The part of our environment that a program we start sees.
 *
 *  1. Only what is listed here, what the caller names, and what the caller sets: a program gets no secret that it
 *     was not given on purpose.
 *  2. Our own variables (`UNCAGED_*`) are passed on, so that the engine's command works inside, except those that
 *     look like secrets. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type EnvironmentChoice = {
  /** Variables passed on in addition to the listed ones, for example `SSH_AUTH_SOCK` or `HTTPS_PROXY`. */
  passEnv?: readonly string[] | undefined;
  /** Variables set to these values; they take precedence. */
  env?: Readonly<Record<string, string>> | undefined;
  /** `all`: our whole environment. Default `listed`. */
  inheritEnv?: "listed" | "all" | undefined;
};

const LISTED = new Set([
  "HOME",
  "LANG",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "WORKFLOW_STORAGE_ROOT",
]);

export function cliEnvironment(
  host: Environment,
  choice: EnvironmentChoice,
): Record<string, string> {
  const { passEnv = [], env = {}, inheritEnv = "listed" } = choice;
  const named = new Set(passEnv);
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined) continue;
    if (inheritEnv === "all" || named.has(name) || isListed(name)) chosen[name] = value;
  }
  return { ...chosen, ...env };
}

function isListed(name: string): boolean {
  if (LISTED.has(name) || name.startsWith("LC_")) return true;
  return name.startsWith("UNCAGED_") && !looksSecret(name);
}
