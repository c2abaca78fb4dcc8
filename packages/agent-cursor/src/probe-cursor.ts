import type { AgentProbe } from "@uncaged/workflow-protocol";
import { askProgram, type Environment, probeProgram } from "@uncaged/workflow-util-agent";
import { type CursorConfig, PROGRAMS } from "./cursor-config.ts";

export const INSTALL_HINT =
  "install the Cursor agent CLI: https://cursor.com/docs/cli/installation";

export async function probeCursor(
  { command }: Pick<CursorConfig, "command">,
  env: Environment,
): Promise<AgentProbe> {
  const found = await probeProgram(command === undefined ? PROGRAMS : [command], env);
  if (found === null) {
    const nothing = { path: null, version: null, installed: false, features: [] };
    return { ...nothing, login: "unknown", fix: INSTALL_HINT };
  }
  const [login, help] = await Promise.all([
    loginOf(found.path, env),
    askProgram(found.path, ["--help"], env),
  ]);
  return {
    ...found,
    installed: true,
    login,
    features: ["resume", "stream-json", ...(/\bacp\b/.test(help?.stdout ?? "") ? ["acp"] : [])],
    fix: login === "missing" ? `log in with: ${found.path} login (or set CURSOR_API_KEY)` : null,
  };
}

async function loginOf(path: string, env: Environment): Promise<AgentProbe["login"]> {
  if ((env.CURSOR_API_KEY ?? "") !== "") return "ok";
  const status = await askProgram(path, ["status"], env);
  const words = `${status?.stdout ?? ""}${status?.stderr ?? ""}`;
  if (/not logged in/i.test(words)) return "missing";
  return /logged in/i.test(words) ? "ok" : "unknown";
}
