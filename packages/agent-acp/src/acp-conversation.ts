/** Turns in one session of an agent that speaks the protocol.
 *
 *  1. The process starts with the first turn, so that a failed start is the end of a turn like any other.
 *  2. Output outside a turn does not count: when a session is loaded, the agent replays its past.
 *  3. After a turn that did not finish by itself the process is ended, so nothing of it continues. */
import type { AgentConversation, AgentStep, TurnResult } from "@uncaged/workflow-util-agent";
import { type AcpProcess, startAcp } from "./acp-process.ts";
import type { AcpProgram } from "./acp-program.ts";
import { openSession, SessionLost } from "./open-session.ts";
import { agentHome } from "./private-home.ts";
import { promptTurn } from "./prompt-turn.ts";
import { endOfAnswer, endOfFault, endOfWords, type TurnEnd } from "./turn-end.ts";
import { type TurnLog, turnLog } from "./turn-log.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { type Counters, countersAtStart, tokensOf, usageOfTurn } from "./usage.ts";

const END_MS = 3_000;
const ABORTED: TurnEnd = { outcome: "cancelled", reason: "it was told to stop" };

export class AcpConversation implements AgentConversation {
  readonly #program: AcpProgram;
  readonly #step: AgentStep;
  #process: AcpProcess | null = null;
  /** Ends the pause between two turns. */
  #wake: () => void = () => {};
  #session: string | null = null;
  /** For the current turn. */
  #log: TurnLog | null = null;
  #counters: Counters;

  constructor(program: AcpProgram, step: AgentStep) {
    this.#program = program;
    this.#step = step;
    this.#counters = countersAtStart(step.previousRawUsage);
  }

  async turn(prompt: string): Promise<TurnResult> {
    this.#wake();
    let result: TurnResult;
    try {
      const process = this.#process ?? (await this.#start());
      result = await this.#take(process, prompt);
    } catch (thrown) {
      const end = this.#step.signal.aborted ? ABORTED : endOfFault(thrown);
      result = this.#result(end, {
        answer: null,
        log: null,
        sessionLost: thrown instanceof SessionLost,
      });
    }
    if (result.outcome === "ok") this.#wake = this.#process?.rest() ?? this.#wake;
    else await this.#process?.stop();
    return result;
  }

  async close(): Promise<void> {
    // Some agents write their session to disk when they exit.
    this.#process?.closeInput();
    const ended = this.#process?.died.catch(() => {});
    if (ended !== undefined) await unlessAborted(ended, AbortSignal.timeout(END_MS));
    await this.#process?.stop();
  }

  async #start(): Promise<AcpProcess> {
    const { isHeld, signal } = this.#step;
    const home = await agentHome(this.#program, this.#step);
    const policyEnv = isHeld ? this.#program.policyEnv : {};
    const env = {
      NO_COLOR: "1",
      ...this.#program.env,
      ...this.#step.env,
      ...home.env,
      ...policyEnv,
    };
    const step = { ...this.#step, env, login: home.login };
    const process = await startAcp(this.#program, step, {
      news: (news) => this.#log?.news(news),
      mayI: async (request) => (await this.#log?.mayI(request)) ?? null,
    });
    this.#process = process;
    const opening = openSession(process.agent, this.#program, step);
    this.#session = await unlessAborted(Promise.race([opening, process.died]), signal);
    return process;
  }

  async #take(process: AcpProcess, prompt: string): Promise<TurnResult> {
    const session = this.#session;
    if (session === null) throw new Error("there is no session");
    const breach = new AbortController();
    const signal = AbortSignal.any([this.#step.signal, breach.signal]);
    const log = turnLog({
      program: this.#program,
      step: this.#step,
      session,
      onBreach: () => breach.abort(),
      signal,
    });
    this.#log = log;
    try {
      const answer = await promptTurn(process, { session, prompt, signal });
      const end = answer === null ? ABORTED : endOfAnswer(answer);
      // Told to stop because it was silent, it calls its turn broken off: how the process ends says why.
      if (end.outcome !== "ok" && fellSilent(process)) return await process.died;
      const usedNothing = end.outcome === "ok" && tokensOf(answer) === null;
      const said = this.#program.saysErrors && usedNothing ? endOfWords(log.text()) : null;
      return this.#result(log.fault() ?? said ?? end, { answer, log, sessionLost: false });
    } catch (refusal) {
      const thrown = fellSilent(process)
        ? await process.died.catch((death: unknown) => death)
        : refusal;
      const said = log.fault();
      const told = endOfFault(thrown);
      // Its earlier words may not be the reason: where its answer names the failure, the answer counts.
      const named = said?.outcome === "crashed" && told.outcome !== "crashed";
      return this.#result(said === null || named ? told : said, {
        answer: null,
        log,
        sessionLost: false,
      });
    } finally {
      this.#log = null;
    }
  }

  #result(
    end: TurnEnd,
    about: { answer: unknown; log: TurnLog | null; sessionLost: boolean },
  ): TurnResult {
    const { answer, log, sessionLost } = about;
    log?.close();
    const denials = log?.denials() ?? 0;
    const told = { tokens: tokensOf(answer), costUsd: log?.costUsd() ?? null };
    const { usage, counters } = usageOfTurn(this.#counters, told, this.#program.tokens);
    this.#counters = counters;
    if (usage !== null) this.#step.emit({ type: "usage", usage });
    // Some agents cancel the turn when they are refused something, although nobody else cancelled it.
    const refused = end.outcome === "cancelled" && denials > 0 && !this.#step.signal.aborted;
    return {
      outcome: refused ? "denied" : end.outcome,
      reason: end.reason,
      sessionLost,
      session: this.#session,
      text: log?.text() ?? "",
      structured: undefined,
      usage,
      rawUsage: counters,
      denials,
    };
  }
}

/** It gave no sign of life for so long that its end was begun. */
function fellSilent(process: Pick<AcpProcess, "stoppedBy">): boolean {
  return process.stoppedBy() === "idle";
}
