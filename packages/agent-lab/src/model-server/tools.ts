/** How each agent's own tools are called: their names and arguments, which the agents check. */
import type { ToolCall } from "@copilotkit/aimock";

type ToolWords = {
  /** The call that runs a command line. */
  shell: (command: string) => Record<string, unknown>;
  /** The call that writes a file. */
  edit: (path: string) => Record<string, unknown>;
};

/** What `[[edit:…]]` writes. */
const EDITED = "written by the scripted model\n";

/** By the name of the tool, for an agent may offer one or another of these. */
const SHELL_TOOLS: { readonly [tool: string]: ToolWords["shell"] } = {
  // Claude Code, and what speaks ACP for it
  Bash: (command) => ({ command, description: "Run a command" }),
  // Codex
  exec_command: (cmd) => ({ cmd }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ["bash", "-lc", command] }),
  // OpenCode, Copilot
  bash: (command) => ({ command, description: "Run a command" }),
  // Gemini, Qwen
  run_shell_command: (command) => ({ command, description: "Run a command", is_background: false }),
};

const EDIT_TOOLS: { readonly [tool: string]: ToolWords["edit"] } = {
  Write: (file_path) => ({ file_path, content: EDITED }),
  write: (filePath) => ({ filePath, content: EDITED }),
  write_file: (file_path) => ({ file_path, content: EDITED }),
  create: (path) => ({ path, file_text: EDITED }),
};

/** The call by which an agent that offers these tools runs a command. */
export function shellCall(offered: readonly string[], command: string): ToolCall {
  return callOf(offered, SHELL_TOOLS, command) ?? fail(offered, "runs a command");
}

/** The call by which an agent that offers these tools writes a file; Codex does it by a patch in the shell. */
export function editCall(offered: readonly string[], path: string): ToolCall {
  return callOf(offered, EDIT_TOOLS, path) ?? shellCall(offered, patchCommand(path));
}

function callOf(
  offered: readonly string[],
  tools: { readonly [tool: string]: (subject: string) => Record<string, unknown> },
  subject: string,
): ToolCall | null {
  const name = Object.keys(tools).find((each) => offered.includes(each));
  const args = name === undefined ? undefined : tools[name]?.(subject);
  return name === undefined || args === undefined
    ? null
    : { name, arguments: JSON.stringify(args) };
}

function patchCommand(path: string): string {
  return `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+${EDITED}*** End Patch\nEOF\n`;
}

function fail(offered: readonly string[], what: string): never {
  throw new Error(`no known tool that ${what} among: ${offered.join(", ")}`);
}
