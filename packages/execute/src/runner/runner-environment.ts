/** The part of the caller's environment that a background runner is started with, and the part it receives afterwards.
 *
 *  The environment that a process was started with can be read as long as it lives (`/proc/<pid>/environ`), by every
 *  agent that it starts. So a runner is started with what programs need to start at all; the rest, including keys,
 *  arrives over the channel that it reports on, and exists only in its memory. */
import type { Serializable } from "node:child_process";

type Environment = NodeJS.ProcessEnv;

export function splitEnvironment(env: Environment): { open: Environment; told: Environment } {
  const open: Environment = {};
  const told: Environment = {};
  for (const [name, value] of Object.entries(env)) (isOpen(name) ? open : told)[name] = value;
  return { open, told };
}

/** The first message to a runner. */
export function environmentMessage(told: Environment): Serializable {
  return { type: "environment", variables: Object.entries(told) };
}

/** Waits for that message and makes it this process's environment. False: whoever was to send it has ended before. A
 *  process that nobody started over a channel has its environment already. */
export async function takeEnvironment(): Promise<boolean> {
  // Without a channel it is undefined, and null once the channel has closed.
  if (!process.connected) return process.channel === undefined;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const nothing = (): void => resolve(null);
  process.once("message", resolve);
  process.once("disconnect", nothing);
  const message = await promise;
  process.off("message", resolve);
  process.off("disconnect", nothing);
  if (message === null) return false;
  for (const [name, value] of variablesOf(message)) process.env[name] = value;
  return true;
}

function variablesOf(message: unknown): [string, string][] {
  if (typeof message !== "object" || message === null || !("variables" in message)) return [];
  const { variables } = message;
  if (!Array.isArray(variables)) return [];
  return variables.flatMap((pair: unknown): [string, string][] => {
    if (!Array.isArray(pair)) return [];
    const [name, value]: unknown[] = pair;
    return typeof name === "string" && typeof value === "string" ? [[name, value]] : [];
  });
}

function isOpen(name: string): boolean {
  return OPEN.has(name) || (OPEN_PREFIXES.test(name) && !SECRET.test(name));
}

const OPEN = new Set([
  "HOME",
  "LANG",
  "LOGNAME",
  "PATH",
  "PATHEXT",
  "SHELL",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "SystemRoot",
  "TEMP",
  "TERM",
  "TMP",
  "TMPDIR",
  "TZ",
  "USER",
  "WORKFLOW_STORAGE_ROOT",
]);
/** Read at process start: by Node, the dynamic linker, and us. */
const OPEN_PREFIXES = /^(?:DYLD_|LC_|LD_|NODE_|UNCAGED_|XDG_)/;
const SECRET = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH/i;
