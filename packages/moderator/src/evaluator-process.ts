import type { ChildProcess } from "node:child_process";
import type { FromEvaluator, ToEvaluator } from "./evaluator-messages.ts";
import { LIMITS } from "./limits.ts";

/** Compiled from `evaluator-main.ts`; this path is right from the sources, the package and every bundle that
 *  includes either. */
const PROGRAM = new URL("../dist/evaluator-program.js", import.meta.url);

/** How an evaluation ended that returned no answer: `time` and `memory` are limits, `gone` is neither. */
export type Ended = "time" | "memory" | "gone";

/** A process that evaluates, one question at a time. It only keeps the program alive while somebody waits for it. */
export class EvaluatorProcess {
  readonly historyMiB: number;
  readonly #child: ChildProcess;
  readonly #ready: Promise<boolean>;
  #isGone = false;
  #settle: (reply: FromEvaluator | Ended) => void = () => undefined;

  /** `historyMiB`: heap for the history, on top of what an evaluation may use. */
  constructor(historyMiB: number) {
    this.historyMiB = historyMiB;
    const heapMiB = LIMITS.memoryMiB + historyMiB;
    // Loaded here: an import would cost every program that never needs it, and bundles may not have it.
    const { fork } = process.getBuiltinModule("node:child_process");
    this.#child = fork(PROGRAM, [], {
      // The current directory may be deleted while the process lives.
      cwd: new URL(".", PROGRAM),
      env: {},
      execArgv: [...confined(), `--max-old-space-size=${heapMiB}`, "--max-semi-space-size=8"],
      serialization: "advanced",
      stdio: ["pipe", "ignore", "ignore", "ipc"],
    });
    this.#child.on("message", (message: FromEvaluator) => this.#settle(message));
    this.#child.on("error", () => this.#gone("gone"));
    this.#child.on("exit", (code, signal) => this.#gone(endOf(code, signal)));
    const { stdin } = this.#child;
    stdin?.on("error", () => undefined);
    if (stdin !== null && "unref" in stdin && typeof stdin.unref === "function") stdin.unref();
    this.#ready = this.#reply(START_LIMIT_MS).then((reply) => typeof reply === "object");
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Whether it started. */
  isReady(): Promise<boolean> {
    return this.#ready;
  }

  /** Resolves once the message was handed over, so that a long history does not pile up here. */
  async tell(message: ToEvaluator): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    // A message that cannot be sent surfaces for whoever waits for the answer.
    this.#child.send(message, () => resolve());
    return promise;
  }

  /** The process is killed when it takes longer than `limitMs`. */
  async ask(
    message: Extract<ToEvaluator, { type: "evaluate" }>,
    limitMs: number,
  ): Promise<FromEvaluator | Ended> {
    if (this.#isGone) return "gone";
    const reply = this.#reply(limitMs);
    this.#child.send(message, () => undefined);
    return reply;
  }

  end(): void {
    this.#isGone = true;
    this.#child.kill("SIGKILL");
  }

  async #reply(limitMs: number): Promise<FromEvaluator | Ended> {
    const { promise, resolve } = Promise.withResolvers<FromEvaluator | Ended>();
    this.#settle = resolve;
    this.#child.ref();
    this.#child.channel?.ref();
    const timer = setTimeout(() => {
      this.end();
      resolve("time");
    }, limitMs);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }

  #gone(how: Ended): void {
    this.#isGone = true;
    this.#settle(how);
  }
}

/** Far longer than it takes, even on a busy machine. */
const START_LIMIT_MS = 60_000;

/** Rules are untrusted data: even a bug in the evaluator must not let them reach anything worth having. */
function confined(): string[] {
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  return ["--permission", `--allow-fs-read=${fileURLToPath(PROGRAM)}`, "--allow-worker"];
}

/** A full heap ends a process by a trap or an abort of its own. */
function endOf(code: number | null, signal: NodeJS.Signals | null): Ended {
  const isFull = signal === "SIGABRT" || signal === "SIGTRAP" || signal === "SIGILL";
  return isFull || code === 134 || code === 133 ? "memory" : "gone";
}
