import { resolve } from "node:path";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import {
  type AgentCall,
  buildThreadInput,
  cliEnvironment,
  lineOfWords,
  type Redactor,
  redactor,
  stepEnvironment,
} from "@uncaged/workflow-util-agent";
import type { CommandAgentConfig } from "./command-config.ts";

/** What exactly to run. */
export type CommandOrder = {
  command: string;
  args: readonly string[];
  /** The command line as a person would write it: what tool policies and required evidence are matched against. */
  commandLine: string;
  /** The same, shortened, for messages and logs. */
  title: string;
  /** Null: nothing is sent. */
  stdin: string | null;
  /** Absolute. */
  cwd: string;
  /** Set in addition to what is passed on. */
  env: Readonly<Record<string, string>>;
  /** Removes secrets from a text. */
  redact: Redactor;
};

export async function commandOrder(
  config: CommandAgentConfig,
  call: AgentCall,
): Promise<CommandOrder> {
  const { command } = config;
  const args = typeof config.args === "function" ? await config.args(call) : (config.args ?? []);
  const wrong = args.findIndex((argument) => typeof argument !== "string");
  if (wrong !== -1) throw notText(command, wrong);
  const env = { ...config.env, ...stepEnvironment(call.ctx, call.runtime) };
  const redact = redactor({
    env: { ...process.env, ...cliEnvironment(process.env, { ...config, env }) },
  });
  const commandLine = redact(lineOf(command, args));
  return {
    command,
    args,
    commandLine,
    title: titleOf(commandLine),
    stdin: await inputFor(config, call),
    cwd: resolve(call.runtime.step.cwd, config.cwd ?? "."),
    env,
    redact,
  };
}

async function inputFor(config: CommandAgentConfig, call: AgentCall): Promise<string | null> {
  const { stdin = "input" } = config;
  if (stdin === "none") return null;
  return stdin === "input" ? buildThreadInput(call.ctx, call.runtime) : stdin(call);
}

const MAX_TITLE_CHARS = 80;

function lineOf(command: string, args: readonly string[]): string {
  return [command, ...args].map(wordOf).join(" ");
}

/** In the quotes that people prefer, where a shell would read the same. */
function wordOf(word: string): string {
  const asIs = /^[\w./:=@%+,-]+$/.test(word) || /[$`\\\p{Cc}]/u.test(word);
  return asIs ? lineOfWords([word]) : JSON.stringify(word);
}

function titleOf(line: string): string {
  return line.length <= MAX_TITLE_CHARS
    ? line
    : `${line.slice(0, MAX_TITLE_CHARS).toWellFormed()}…`;
}

/** The compiler reports this too, but workflows are also written in JavaScript. */
function notText(command: string, at: number): WorkflowError {
  return new WorkflowError(
    failure(
      "AGENT_FAILED",
      `argument ${at + 1} of ${command} is not a string`,
      "correct `args` where the agent is bound",
    ),
  );
}
