import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { readSettings } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import type { Style } from "../terminal/style.ts";
import { type AgentReport, inspectConfigured, inspectFurther } from "./inspect-agents.ts";

export async function list(io: Io): Promise<Result<Output, Failure>> {
  // Agent packages are loaded here, and may print.
  io.hostBundle(io.json ? "nowhere" : "to stderr");
  const root = storageRoot(io.env);
  const settings = await readSettings(root);
  if (!settings.ok) return settings;
  const at = { root, settings: settings.value, env: io.env };
  const [configured, further] = await Promise.all([inspectConfigured(at), inspectFurther(at)]);
  const agents = [...configured, ...further];
  const { defaultAgent } = settings.value;
  return ok({ document: { defaultAgent, agents }, human: (style) => text(agents, style) });
}

function text(agents: readonly AgentReport[], style: Style): string {
  if (agents.length === 0)
    return "no agents; add one with: uncaged-workflow agent add <npm package>";
  const table = renderTable(agents, [
    { title: "AGENT", cell: agentName },
    { title: "PACKAGE", cell: packageName },
    {
      title: "INSTALLED",
      cell: ({ installed }) => (installed ? "yes" : "no"),
      paint: (padded, { installed }) => (installed ? style.green(padded) : style.red(padded)),
    },
    { title: "VERSION", cell: ({ version }) => version ?? "-" },
    ...(agents.some(({ plays }) => plays !== undefined) ? [PLAYS] : []),
    {
      title: "LOG-IN",
      cell: ({ login }) => login,
      paint: (padded, { login }) => (login === "missing" ? style.red(padded) : padded),
    },
    { title: "PATH", cell: ({ path }) => printableLine(path ?? "-", 200), paint: style.dim },
  ]);
  const todo = agents.flatMap((agent) => whatToDo(agent, style));
  return [table, ...todo].join(todo.length === 0 ? "" : "\n");
}

const PLAYS = {
  title: "PLAYS HERE",
  cell: ({ plays = [] }: AgentReport): string => printableLine(plays.join(", "), 100),
};

/** An agent that nobody configured is not a fault: it can be added, whatever else it lacks. */
function whatToDo(agent: AgentReport, style: Style): string[] {
  const fix = agent.fix === null ? "" : printableLine(agent.fix, 500);
  if (agent.name === null) {
    const options = NEEDED.get(agent.package);
    const add = `uncaged-workflow agent add ${agent.package}`;
    if (options !== undefined)
      return [`${style.cyan("to use")} ${agentName(agent)}: ${add} ${options}`];
    return [`${style.cyan("to use")} ${agentName(agent)}: ${fix === "" ? add : `${add}; ${fix}`}`];
  }
  return fix === "" ? [] : [`${style.cyan("fix")} ${agentName(agent)}: ${fix}`];
}

/** Without these, one of our own adapters cannot report anything about its agent. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ["@uncaged/workflow-agent-acp", "--name opencode --option preset=opencode"],
  ["@uncaged/workflow-agent-llm", "--option model=<provider>/<model>"],
  ["@uncaged/workflow-agent-react", "--option model=<provider>/<model>"],
]);

function agentName({ name, default: isDefault, package: packageOf }: AgentReport): string {
  if (name === null) return `(${packageOf.replace("@uncaged/workflow-agent-", "")})`;
  return isDefault ? `${name} *` : name;
}

function packageName({ package: name, packageVersion }: AgentReport): string {
  return packageVersion === null ? name : `${name} ${packageVersion}`;
}
