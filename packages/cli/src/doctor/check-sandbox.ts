/** Checks the program that keeps agents and checks to themselves. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { readSettings } from "@uncaged/workflow-register";
import { printableLine } from "../terminal/printable.ts";
import { type Check, type DoctorContext, doubtful, fine } from "./check.ts";

const NAME = "sandbox";
const CODEX = "@uncaged/workflow-agent-codex";
/** The first with `--argv0`, by which Codex starts its own sandbox. With 0.8 Codex was seen to run no command at all. */
const CODEX_NEEDS = { major: 0, minor: 9 };

/** Where bubblewrap is missing, `unshare` does; only Codex takes a bubblewrap that is too old. */
export async function checkSandbox({ root, env }: DoctorContext): Promise<Check> {
  const said = await versionOf(env);
  if (said === null) return fine(NAME, "there is no bubblewrap on PATH");
  const version = printableLine(said, 60);
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  const isOld =
    Number(major) === CODEX_NEEDS.major && minor !== undefined && Number(minor) < CODEX_NEEDS.minor;
  if (!isOld) return fine(NAME, version);
  const settings = await readSettings(root);
  // Another check reports an unreadable configuration.
  const agents = settings.ok ? [...settings.value.agents] : [];
  const codex = agents.flatMap(([name, agent]) => (agent.package === CODEX ? [name] : []));
  if (codex.length === 0) return fine(NAME, version);
  return doubtful(
    NAME,
    `${version} is older than ${CODEX_NEEDS.major}.${CODEX_NEEDS.minor}: Codex (${codex.map((name) => printableLine(name, 60)).join(", ")}) uses it for its sandbox, and may run no command at all`,
    "install a newer bubblewrap, or remove it: Codex has one of its own",
  );
}

async function versionOf(env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("bwrap", ["--version"], { env, timeout: 10_000 });
    return stdout.trim();
  } catch {
    return null;
  }
}
