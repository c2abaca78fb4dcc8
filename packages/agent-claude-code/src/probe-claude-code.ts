import { type AgentProbe, parseJson } from "@uncaged/workflow-protocol";
import { askProgram, type Environment, probeProgram } from "@uncaged/workflow-util-agent";
import { z } from "zod";
import { hasKey } from "./log-in.ts";

/** Looks for the program, its version and its login. Never throws, calls no model. */
export async function probeClaudeCode(command: string, env: Environment): Promise<AgentProbe> {
  const found = await probeProgram([command], env);
  if (found === null) {
    return {
      path: null,
      version: null,
      installed: false,
      login: "unknown",
      features: [],
      fix: `there is no program ${command}; install it: npm install -g @anthropic-ai/claude-code`,
    };
  }
  const login = await logInOf(found.path, env);
  return {
    ...found,
    installed: true,
    login,
    features: ["json-schema", "resume", "tool-policy", "evidence"],
    fix:
      login === "missing"
        ? "run `claude` and log in, or set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN of `claude setup-token`"
        : null,
  };
}

async function logInOf(path: string, env: Environment): Promise<AgentProbe["login"]> {
  if (hasKey(env)) return "ok";
  const answer = await askProgram(path, ["auth", "status", "--json"], env);
  const status = STATUS.safeParse(answer === null ? null : parseJson(answer.stdout));
  if (!status.success) return "unknown";
  return status.data.loggedIn ? "ok" : "missing";
}

const STATUS = z.object({ loggedIn: z.boolean() });
