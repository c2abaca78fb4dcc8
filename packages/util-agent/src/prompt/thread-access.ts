/** How a role can reach its thread by itself, so that it is told only about what it may use.
 *
 *  1. Commands first: they give access to everything. Each is mentioned only if the role's policy lets it run.
 *  2. Otherwise the tools of `uncaged-workflow mcp`, if the agent was given them and the policy allows them.
 *  3. Otherwise nothing: the role has what its prompt contains. */
import type { ToolKind, ToolPolicy } from "@uncaged/workflow-protocol";
import { policyVerdict } from "@uncaged/workflow-util/tool-rules";

/** What an agent has, whether or not its role may use it. */
export type ThreadReach = {
  /** A tool that runs commands. Default true. */
  commands?: boolean | undefined;
  /** Names of that tool, as policies know it. Default: the usual ones. */
  shellTools?: readonly string[] | undefined;
  /** The agent's name for one of our tools; null: it was not given our MCP server. Default null. */
  mcpTool?: ((tool: McpTool) => string) | null | undefined;
};

export type McpTool = "thread_context" | "cas_get" | "cas_put";

/** A command to run, or a tool to call with its input. */
type Way = { do: "run" | "call"; what: string };

/** null: there is no way. */
export type ThreadAccess = {
  /** How to read the conversation so far; `before`: only what came before that round. */
  context(before: number | null): Way | null;
  get(hash: string): Way | null;
  put(): Way | null;
};

export function threadAccess(
  threadId: string,
  policy: ToolPolicy | null,
  { commands = true, shellTools = SHELL_TOOLS, mcpTool = null }: ThreadReach,
): ThreadAccess {
  const way = (command: string, tool: McpTool, input: object): Way | null => {
    const shell = { kind: "execute", subject: command } as const;
    if (commands && mayUse(policy, shell, shellTools)) return { do: "run", what: command };
    const subject = JSON.stringify(input);
    const called = mcpTool?.(tool);
    return called !== undefined && mayUse(policy, { kind: "other", subject }, [called])
      ? { do: "call", what: `${called} ${subject}` }
      : null;
  };
  const thread = `uncaged-workflow thread context ${threadId}`;
  return {
    context: (before) =>
      before === null
        ? way(thread, "thread_context", { thread: threadId })
        : way(`${thread} --before ${before}`, "thread_context", { thread: threadId, before }),
    get: (hash) => way(`uncaged-workflow cas get --payload ${hash}`, "cas_get", { hash }),
    put: () => way("uncaged-workflow cas put -", "cas_put", { text: "<text>" }),
  };
}

const SHELL_TOOLS = ["Bash", "bash", "shell", "shell_exec", "run_shell_command", "execute"];

/** A rule may name a tool by any of these names: what is denied under one of them is denied. */
function mayUse(
  policy: ToolPolicy | null,
  call: { kind: ToolKind; subject: string },
  names: readonly string[],
): boolean {
  const { deny } = policy ?? {};
  return (
    names.every((name) => policyVerdict({ deny }, { ...call, name }).allowed) &&
    names.some((name) => policyVerdict(policy, { ...call, name }).allowed)
  );
}
