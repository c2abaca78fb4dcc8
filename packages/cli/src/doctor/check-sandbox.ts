/** Checks what keeps agents and checks to themselves. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { readSettings } from "@uncaged/workflow-register";
import { isolatedBy } from "@uncaged/workflow-util-agent";
import { printableLine } from "../terminal/printable.ts";
import { type Check, type DoctorContext, doubtful, fine, wrong } from "./check.ts";

const NAME = "sandbox";
const CODEX = "@uncaged/workflow-agent-codex";
/** The first with `--argv0`, by which Codex starts its own sandbox. With 0.8 Codex was seen to run no command at all. */
const CODEX_NEEDS = { major: 0, minor: 9 };

/** Where bubblewrap is missing, `unshare` does; only Codex takes a bubblewrap that is too old. `findTool`: what keeps
 *  programs to themselves here. */
export async function checkSandbox(
  { root, env }: DoctorContext,
  findTool: typeof isolatedBy = isolatedBy,
): Promise<Check> {
  const settings = await readSettings(root);
  // Another check reports an unreadable configuration.
  const { agents, isolation } = settings.ok ? settings.value : { agents: [], isolation: "none" };
  const tool = isolation === "none" ? null : await findTool();
  if (isolation === "sandbox" && tool === null)
    return wrong(
      NAME,
      "config.isolation asks for one, and neither bubblewrap nor unshare works here: no agent is started",
      "install bubblewrap, or allow user namespaces; or set config.isolation to none",
    );
  const said = await versionOf(env);
  const version = said === null ? "there is no bubblewrap on PATH" : printableLine(said, 60);
  const kept =
    tool !== null
      ? `agents run in one (${tool})`
      : isolation === "none"
        ? "agents run in none (config.isolation)"
        : "agents run in none: neither bubblewrap nor unshare works here";
  const message = `${kept}; ${version}`;
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said ?? "") ?? [];
  const isOld =
    Number(major) === CODEX_NEEDS.major && minor !== undefined && Number(minor) < CODEX_NEEDS.minor;
  const codex = [...agents].flatMap(([name, agent]) => (agent.package === CODEX ? [name] : []));
  if (!isOld || codex.length === 0) return fine(NAME, message);
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
