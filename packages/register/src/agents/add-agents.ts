import { WORKFLOW_NAME_PATTERN } from "@uncaged/workflow-protocol";

/** One shell line that adds agents with these names. Where possible the name determines the program; any adapter's
 *  package may replace the one that is written. */
export function addAgentsCommand(names: readonly string[]): string {
  const known = names.filter((name) => WORKFLOW_NAME_PATTERN.test(name));
  // No other name can be added, so there is nothing to paste.
  if (known.length === 0) return "uncaged-workflow agent add <npm package> --name <name>";
  return known.map(addOne).join(" && ");
}

function addOne(name: string): string {
  const { adapter, options } = ADAPTERS.get(name) ?? USUAL;
  const command = `uncaged-workflow agent add @uncaged/workflow-agent-${adapter} --name ${name}`;
  return options === undefined ? command : `${command} ${options}`;
}

type Adapter = { adapter: string; options?: string };

const USUAL: Adapter = { adapter: "claude-code" };

/** By the names that people use for them. */
const ADAPTERS: ReadonlyMap<string, Adapter> = new Map([
  ["codex", { adapter: "codex" }],
  ["cursor", { adapter: "cursor" }],
  ["hermes", { adapter: "hermes" }],
  ["opencode", { adapter: "acp", options: "--option preset=opencode" }],
  ["llm", { adapter: "llm", options: "--option model=extract" }],
  ["react", { adapter: "react", options: "--option model=extract" }],
]);
