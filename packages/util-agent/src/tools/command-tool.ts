/** The engine's command line as a tool, for an agent whose own sandbox lets its commands connect to no socket.
 *
 *  1. It runs in the step's sandbox, as the agent's own commands do elsewhere: the engine serves it as little.
 *  2. Only what starts no program of the agent's choice: anything else would be a way out of the agent's own sandbox.
 *  3. To the role's policy, a call is the command that it runs. */
import {
  type EngineTool,
  failureFrom,
  type JsonValue,
  type ToolPolicy,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import { leavesCommands, lineOfWords, policyVerdict } from "@uncaged/workflow-util/tool-rules";
import type { Isolation } from "../process/isolation.ts";
import { spawnCli } from "../process/spawn-cli.ts";

const COMMAND_TOOL = "uncaged_workflow";

const PROGRAM = "uncaged-workflow";
const TASK_VERBS = ["start", "heartbeat", "done", "fail", "approve", "request-changes"];
const TASK_LOOKS = ["status", "board", "bus"];
const COMMANDS: readonly string[] = [
  ...["run", "wait", "thread run", "thread show", "thread result", "thread wait"],
  ...[...TASK_VERBS, ...TASK_LOOKS].map((verb) => `task ${verb}`),
];
const USUAL_TIMEOUT_MS = 600_000;
const MOST_OUTPUT_BYTES = 32 * 1024;

export type CommandPlace = {
  policy: ToolPolicy | null;
  cwd: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  isolation: Isolation | null;
  processTag: string;
  signal: AbortSignal;
  /** Milliseconds that are left to the step; null: no limit. */
  remainingMs(): number | null;
};

/** Empty where the policy leaves the role no command. */
export function commandTools(place: CommandPlace): EngineTool[] {
  if (place.policy !== null && !leavesCommands(place.policy)) return [];
  return [
    {
      name: COMMAND_TOOL,
      description: `Runs \`${PROGRAM}\` with these arguments in your working directory and returns its exit code and output. Call it in place of the command itself, which cannot reach the workflow engine from your shell. It runs ${COMMANDS.join(", ")}.`,
      parameters: {
        type: "object",
        properties: {
          args: { type: "array", items: { type: "string" }, minItems: 1 },
          stdin: { type: "string" },
          timeout_ms: { type: "integer", minimum: 1, description: `default ${USUAL_TIMEOUT_MS}` },
        },
        required: ["args"],
        additionalProperties: false,
      },
      readOnly: false,
      async call(input) {
        try {
          return await run(place, input);
        } catch (thrown) {
          return { text: failureFrom(thrown, "AGENT_FAILED").message, ok: false };
        }
      },
    },
  ];
}

/** Throws what is wrong with the input, in words for the agent. */
async function run(place: CommandPlace, input: JsonValue): Promise<{ text: string; ok: boolean }> {
  const { args, stdin = null, timeout_ms: askedMs = USUAL_TIMEOUT_MS } = toJsonObject(input) ?? {};
  if (!Array.isArray(args) || !args.every((word) => typeof word === "string"))
    throw new Error("`args` are the words after `uncaged-workflow`");
  if (stdin !== null && typeof stdin !== "string") throw new Error("`stdin` is a text");
  if (typeof askedMs !== "number" || !(askedMs > 0))
    throw new Error("`timeout_ms` is a number above 0");
  const begins = (command: string): boolean =>
    command.split(" ").every((word, at) => word === args[at]);
  if (!COMMANDS.some(begins))
    throw new Error(`this tool runs only ${COMMANDS.join(", ")}; those words come first`);
  const { policy, cwd, env, isolation, processTag, signal, remainingMs } = place;
  const subject = lineOfWords([PROGRAM, ...args]);
  const { allowed, reason } = policyVerdict(policy, {
    name: COMMAND_TOOL,
    kind: "execute",
    subject,
  });
  if (!allowed) throw new Error(reason);
  const timeoutMs = Math.min(askedMs, remainingMs() ?? Number.POSITIVE_INFINITY);
  const ended = await spawnCli(PROGRAM, args, {
    ...{ cwd, env, hostEnv: {}, tag: processTag, isolation, signal, timeoutMs, stdin },
    maxOutputBytes: MOST_OUTPUT_BYTES,
  });
  if (!ended.ok) throw new Error(`${ended.error.message}; ${ended.error.hint}`);
  const { exitCode, stoppedBy, stdout, stderr } = ended.value;
  const how = stoppedBy === null ? `exit code ${exitCode}` : `it was ended after ${timeoutMs} ms`;
  const texts = [how, stdout.text, stderr.text].map((text) => text.trimEnd());
  return { text: texts.filter((text) => text !== "").join("\n"), ok: exitCode === 0 };
}
