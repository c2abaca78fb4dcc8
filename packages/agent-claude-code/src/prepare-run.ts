/** What a Claude Code process finds on disk and in its environment.
 *
 *  1. Everything we write is in the step's private folder; nothing of the user's is changed.
 *  2. The private configuration gets the user's login through a link: a copy would become stale when one of the two
 *     is renewed. With a key in the environment there is no link.
 *  3. Nothing in the run keeps working on its own: no updates, no background tasks, no timers. */
import { lstat, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentStep } from "@uncaged/workflow-util-agent";
import { claudeArguments } from "./claude-arguments.ts";
import type { ClaudeCodeConfig } from "./claude-code-config.ts";
import { CREDENTIALS_FILE, hasKey, userFolder } from "./log-in.ts";
import { runSettings } from "./run-settings.ts";

export type PreparedRun = { args: string[]; env: Record<string, string> };

type Step = Pick<
  AgentStep,
  | "home"
  | "env"
  | "systemPrompt"
  | "outputSchema"
  | "policy"
  | "isHeld"
  | "reminder"
  | "session"
  | "copiesSession"
  | "toolServer"
>;

export async function prepareRun(step: Step, config: ClaudeCodeConfig): Promise<PreparedRun> {
  const { home, policy, isHeld } = step;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const reminderFile = await put(home, "reminder.txt", `${step.reminder}\n`);
  const settings = runSettings({ asksForEveryTool: policy !== null, reminderFile });
  const ownConfig = config.config === "user" ? "user" : "private";
  if (ownConfig === "private") await linkLogIn(step);
  const args = claudeArguments({
    model: config.model ?? null,
    maxTurns: config.maxTurns ?? null,
    session: step.session,
    copiesSession: step.copiesSession,
    outputSchema: step.outputSchema,
    settingsFile: await put(home, "run-settings.json", JSON.stringify(settings)),
    systemPromptFile: await put(home, "system-prompt.txt", step.systemPrompt),
    mcpFile: await putMcpServers(home, serversOf(step, config)),
    settingSources: isHeld ? "user" : "all",
    otherMcpServers: ownConfig === "user" ? "allowed" : "ignored",
  });
  const env = { ...DEFAULTS, ...step.env, ...FIXED };
  return { args, env: ownConfig === "user" ? env : { ...env, CLAUDE_CONFIG_DIR: home } };
}

/** Defaults that the user may override. Long waits for a model are up to the engine, which says why it waits. */
const DEFAULTS = { CLAUDE_CODE_MAX_RETRIES: "2" };

const FIXED = {
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  CLAUDE_CODE_DISABLE_CRON: "1",
  // An `@path` in a task would put that file before the model without asking the policy.
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  NO_COLOR: "1",
  TERM: "dumb",
};

async function put(home: string, name: string, text: string): Promise<string> {
  const file = join(home, name);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** The engine's own has precedence over one of that name. Its tools are what the role is about, so the model has them
 *  from the start and does not have to search for them (`alwaysLoad`). */
function serversOf({ toolServer }: Step, { mcpServers }: ClaudeCodeConfig): object {
  if (toolServer === undefined) return { ...mcpServers };
  const { name, command, args } = toolServer;
  return { ...mcpServers, [name]: { command, args, alwaysLoad: true } };
}

async function putMcpServers(home: string, servers: object): Promise<string | null> {
  if (Object.keys(servers).length === 0) return null;
  return put(home, "mcp-servers.json", JSON.stringify({ mcpServers: servers }));
}

/** An existing file stays: the program may have replaced the link by a renewed token. */
async function linkLogIn({ home, env }: Step): Promise<void> {
  const folder = userFolder(env);
  if (hasKey(env) || folder === null) return;
  const there = await lstat(join(home, CREDENTIALS_FILE)).catch(() => null);
  if (there === null) await symlink(join(folder, CREDENTIALS_FILE), join(home, CREDENTIALS_FILE));
}
