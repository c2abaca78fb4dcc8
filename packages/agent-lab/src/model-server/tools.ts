/** How to call each agent's own tools: their names and arguments, which the agents check. */
import type { ToolCall } from "@copilotkit/aimock";

type ToolWords = {
  /** The call that runs a command line. */
  shell: (command: string) => Record<string, unknown>;
  /** The call that writes a file. */
  edit: (edit: FileEdit) => Record<string, unknown>;
};

type FileEdit = { path: string; content: string };

/** By tool name, because an agent may offer any of these. */
const SHELL_TOOLS: { readonly [tool: string]: ToolWords["shell"] } = {
  // Claude Code, and what speaks ACP for it
  Bash: (command) => ({ command, description: "Run a command" }),
  // Codex
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ["bash", "-lc", command] }),
  // OpenCode, Copilot
  bash: (command) => ({ command, description: "Run a command" }),
  // agent-react
  shell_exec: (command) => ({ command }),
  // Gemini, Qwen
  run_shell_command: (command) => ({ command, description: "Run a command", is_background: false }),
};

const EDIT_TOOLS: { readonly [tool: string]: ToolWords["edit"] } = {
  Write: ({ path, content }) => ({ file_path: path, content }),
  write: ({ path, content }) => ({ filePath: path, content }),
  write_file: ({ path, content }) => ({ file_path: path, content }),
  create: ({ path, content }) => ({ path, file_text: content }),
};

/** The call with which an agent that offers these tools runs a command. */
export function shellCall(offered: readonly string[], command: string): ToolCall {
  return callOf(offered, SHELL_TOOLS, command) ?? fail(offered, "runs a command");
}

/** The call with which an agent that offers these tools writes a file; Codex uses a patch in the shell. */
export function editCall(offered: readonly string[], edit: FileEdit): ToolCall {
  // agent-react has a tool with the same name as Gemini's, but other arguments.
  if (offered.includes("patch_file")) {
    return { name: "write_file", arguments: JSON.stringify(edit) };
  }
  return callOf(offered, EDIT_TOOLS, edit) ?? shellCall(offered, patchCommand(edit));
}

/** The call of a tool that was lent to the agent: agents put prefixes before the names of such tools. */
export function namedCall(
  offered: readonly string[],
  { name, input }: { name: string; input: string },
): ToolCall {
  const found = offered.find((each) => each.endsWith(name));
  return found === undefined
    ? fail(offered, `is called ${name}`)
    : { name: found, arguments: input };
}

function callOf<T>(
  offered: readonly string[],
  tools: { readonly [tool: string]: (subject: T) => Record<string, unknown> },
  subject: T,
): ToolCall | null {
  const name = Object.keys(tools).find((each) => offered.includes(each));
  const args = name === undefined ? undefined : tools[name]?.(subject);
  return name === undefined || args === undefined
    ? null
    : { name, arguments: JSON.stringify(args) };
}

function patchCommand({ path, content }: FileEdit): string {
  const lines = content.trimEnd().replace(/^/gm, "+");
  return `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n${lines}\n*** End Patch\nEOF\n`;
}

function fail(offered: readonly string[], what: string): never {
  throw new Error(`no known tool that ${what} among: ${offered.join(", ")}`);
}
