/** An agent's process and the protocol over its stdin and stdout.
 *
 *  1. Its session updates and permission requests reach `listener` in the order in which it sends them.
 *  2. Every other request is answered with "no such method": we lend it no files and no terminal. */
import { type ClientContext, client, methods } from "@agentclientprotocol/sdk";
import {
  type AgentStep,
  type CliRun,
  type JsonNoise,
  jsonLines,
  lastLines,
  type OpenCli,
  openCli,
} from "@uncaged/workflow-util-agent";
import type { AcpProgram } from "./acp-program.ts";
import { answerPermission, NOT_MADE } from "./answer-permission.ts";
import { messageStream } from "./message-stream.ts";
import {
  type PermissionRequest,
  parsePermissionRequest,
  parseSessionNews,
  type SessionNews,
} from "./session-update.ts";
import { type ToldStep, toolArgs } from "./tool-args.ts";

const MIB = 1024 * 1024;

export type AcpListener = {
  news(news: SessionNews): void;
  /** Whether it may make the call. Null: nothing may be done now. */
  mayI(request: PermissionRequest): Promise<boolean | null>;
};

export type AcpProcess = {
  agent: ClientContext;
  /** Lets it end by itself: nothing more will be asked. */
  closeInput: OpenCli["closeInput"];
  /** Ends it, and everything it started. */
  stop: OpenCli["stop"];
  /** Nothing is asked of it until the returned function is called. */
  rest: OpenCli["rest"];
  stoppedBy: OpenCli["stoppedBy"];
  /** Rejects when the process ends, with how it ended; never resolves. */
  died: Promise<never>;
};

/** How a process ended unexpectedly. */
export class AgentDied extends Error {
  readonly stoppedBy: CliRun["stoppedBy"];

  constructor(message: string, stoppedBy: CliRun["stoppedBy"]) {
    super(message);
    this.name = "AgentDied";
    this.stoppedBy = stoppedBy;
  }
}

type StartedStep = ToldStep &
  Pick<AgentStep, "cwd" | "env" | "isolation" | "limits" | "processTag" | "redact">;

/** Rejects with `AgentDied` when it cannot be started. */
export async function startAcp(
  program: AcpProgram,
  step: StartedStep,
  listener: AcpListener,
): Promise<AcpProcess> {
  const messages = messageStream((params) => {
    const news = parseSessionNews(params);
    if (news !== null) listener.news(news);
  });
  const lines = jsonLines(messages.push);
  const started = await openCli(program.command, [...program.args, ...toolArgs(program, step)], {
    cwd: step.cwd,
    env: step.env,
    hostEnv: {},
    tag: step.processTag,
    isolation: step.isolation,
    idleTimeoutMs: step.limits.idleTimeoutMs,
    maxOutputBytes: MIB,
    maxLineChars: 16 * MIB,
    redact: { redactor: step.redact, streams: "stderr" },
    onLine: lines.line,
    installHint: program.install,
  });
  if (!started.ok) throw new AgentDied(`${started.error.message} (${started.error.hint})`, null);
  const cli = started.value;
  const connection = client({ name: "uncaged-workflow" })
    .onRequest(
      methods.client.session.requestPermission,
      parsePermissionRequest,
      async ({ params }) => {
        if (params === null) return NOT_MADE;
        // A person may take long: the silence is ours.
        const goOn = cli.rest();
        const allowed = await listener.mayI(params).finally(goOn);
        return allowed === null ? NOT_MADE : answerPermission(params.options, allowed);
      },
    )
    .connect(messages.connect(cli.write));
  const died = cli.ended.then(
    (end): never => {
      throw end.ok ? endedBy(end.value, lines.noise()) : new AgentDied(end.error.message, null);
    },
    (fault: unknown): never => {
      throw new AgentDied(fault instanceof Error ? fault.message : String(fault), null);
    },
  );
  died.catch((death: unknown) => connection.close(death));
  return {
    agent: connection.agent,
    closeInput: cli.closeInput,
    stop: cli.stop,
    rest: cli.rest,
    stoppedBy: cli.stoppedBy,
    died,
  };
}

function endedBy(run: CliRun, noise: JsonNoise): AgentDied {
  const words = lastLines(run.stderr.text) || noise.latest.join("\n");
  const said = words === "" ? "" : `; its last output: ${words}`;
  const how =
    run.stoppedBy === "idle"
      ? "it stopped responding and was ended"
      : run.signal === null
        ? `it exited with code ${run.exitCode}`
        : `it was ended by ${run.signal}`;
  return new AgentDied(`${how}${said}`, run.stoppedBy);
}
