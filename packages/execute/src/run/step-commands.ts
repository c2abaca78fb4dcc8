/** Carries out commands for the agents of a step in a sandbox: by the command line that this engine belongs to, outside the
 *  sandbox, with the tag of the step. Which commands those are, and what they may do, is for the command line to say: it
 *  reads the errand from its environment. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import {
  EXIT,
  err,
  type Failure,
  failure,
  isThreadId,
  ok,
  PROCESS_TAG_ENV,
  parseJson,
  type Result,
  STEP_ERRAND_ENV,
  STEP_STORE_ENV,
  type StepCommand,
  type StepCommandPiece,
  type StepErrand,
  toJsonObject,
  type WorkflowRuntime,
} from "@uncaged/workflow-protocol";
import { randomTag } from "@uncaged/workflow-util";
import type { Engine } from "../storage/engine.ts";

const CLI = "@uncaged/cli-workflow";
const COMMAND = "uncaged-workflow";

/** `tag`: of the step. `cwd`: where it works. */
export function stepCommands(
  engine: Pick<Engine, "root" | "packagesBase">,
  step: { threadId: string; tag: string; cwd: string },
): NonNullable<WorkflowRuntime["runCommand"]> {
  // Of this step only: whoever repeats a step starts its threads again, or finds them by their keys.
  const threads = new Set<string>();
  return async (command, { say, signal }) => {
    const program = commandOf(engine.packagesBase);
    if (program === null) return err(noCommand());
    const { threadId, tag, cwd: folder } = step;
    const errand: StepErrand = { threadId, folder, cwd: command.cwd, threads: [...threads] };
    const env = {
      ...withoutOurs(process.env),
      WORKFLOW_STORAGE_ROOT: engine.root,
      [PROCESS_TAG_ENV]: `${tag}:${randomTag(8)}`,
      [STEP_ERRAND_ENV]: JSON.stringify(errand),
    };
    return carryOut(program, {
      command,
      env,
      folder,
      say,
      signal,
      started: (id) => threads.add(id),
    });
  };
}

/** The file of the command that the packages of this engine belong to; null: they belong to none. */
function commandOf(packagesBase: string): string | null {
  try {
    const manifest = createRequire(packagesBase).resolve(`${CLI}/package.json`);
    const bin = toJsonObject(toJsonObject(parseJson(readFileSync(manifest, "utf8")))?.bin)?.[
      COMMAND
    ];
    return typeof bin === "string" ? resolve(manifest, "..", bin) : null;
  } catch {
    return null;
  }
}

/** Without what is meant for this process. */
function withoutOurs({
  NODE_OPTIONS: _forNode,
  [STEP_STORE_ENV]: _ofOurStep,
  ...env
}: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}

async function carryOut(
  program: string,
  call: {
    command: StepCommand;
    env: NodeJS.ProcessEnv;
    folder: string;
    say: (piece: StepCommandPiece) => Promise<void>;
    signal: AbortSignal;
    started: (threadId: string) => void;
  },
): Promise<Result<number, Failure>> {
  const { words, input } = call.command;
  const child = spawn(process.execPath, [program, ...words], {
    ...{ cwd: call.folder, env: call.env, signal: call.signal },
    stdio: ["pipe", "pipe", "pipe", "ipc"],
  });
  child.on("message", (message) => {
    const started = toJsonObject(message)?.started;
    if (typeof started === "string" && isThreadId(started)) call.started(started);
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("close", (code) => resolve(code ?? EXIT.aborted));
    child.once("error", (cause) => (call.signal.aborted ? undefined : reject(cause)));
  });
  // It may end without having read its input.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input ?? "");
  const [code] = await Promise.all([
    ended,
    passOn(child.stdout, "stdout", call.say),
    passOn(child.stderr, "stderr", call.say),
  ]);
  return ok(code);
}

/** No more is read than the other end takes. */
async function passOn(
  from: Readable | null,
  to: StepCommandPiece["to"],
  say: (piece: StepCommandPiece) => Promise<void>,
): Promise<void> {
  for await (const text of from?.setEncoding("utf8") ?? []) await say({ to, text: String(text) });
}

function noCommand(): Failure {
  return failure(
    "ACCESS_DENIED",
    "the engine of this step belongs to no command line, so it carries out no commands",
    "call the command outside the sandbox",
  );
}
