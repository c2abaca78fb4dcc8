/** Questions on this process's terminal. They go to stderr: stdout contains the command's document. */
import { cancel, note, password, select, text } from "@clack/prompts";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { editText } from "./edit-text.ts";
import { printable, printableLine } from "./printable.ts";

export type Choice = { value: string; label: string };

/** Each returns null when the person cancels, and throws `USAGE` when the terminal's input ends. */
export type Questions = {
  choose: (
    question: string,
    choices: readonly Choice[],
    /** The initially selected choice; by default the first. */
    marked?: string | undefined,
  ) => Promise<string | null>;
  /** `check` returns what is wrong with an answer, or null. */
  text: (
    question: string,
    about: { suggestion: string; check: (answer: string) => string | null },
  ) => Promise<string | null>;
  /** Input is not echoed. */
  secret: (question: string) => Promise<string | null>;
};

/** Questions of a form. */
export type FormQuestions = Pick<Questions, "choose"> & {
  /** A text that may be long: with an editor in `VISUAL` or `EDITOR`, `\e` opens it. */
  longText: Questions["text"];
  /** Shown before the questions. */
  say: (words: string) => void;
};

/** Questions about keys. */
export type KeyQuestions = {
  /** Input is not echoed, and kept with its blanks. `check` returns what is wrong with it, or null. */
  passphrase: (question: string, check: (typed: string) => string | null) => Promise<string | null>;
};

export function terminalQuestions(
  env: NodeJS.ProcessEnv,
): Questions & FormQuestions & KeyQuestions {
  const output = process.stderr;
  const typed = async (
    prompt: (signal: AbortSignal) => Promise<string | symbol>,
  ): Promise<string | null> => {
    const answer = await untilInputEnds(prompt);
    if (typeof answer === "string") return answer;
    cancel("cancelled", { output });
    return null;
  };
  const answered: typeof typed = async (prompt) => (await typed(prompt))?.trim() ?? null;
  const ask: Questions["text"] = (message, { suggestion, check }) =>
    answered((signal) =>
      text({
        message,
        output,
        signal,
        initialValue: printableLine(suggestion, 2_000),
        validate: (answer) => check(answer?.trim() ?? "") ?? undefined,
      }),
    );
  return {
    choose: (message, choices, marked) =>
      answered((signal) =>
        select({
          message,
          output,
          signal,
          options: choices.map(({ value, label }) => ({ value, label: printableLine(label, 200) })),
          ...(marked === undefined ? {} : { initialValue: marked }),
        }),
      ),
    text: ask,
    longText: async (message, about) => {
      const editor = env.VISUAL || env.EDITOR || null;
      if (editor === null) return ask(message, about);
      const line = await ask(`${message} (\\e opens ${editor})`, about);
      return line === "\\e" ? editText(editor, about.suggestion) : line;
    },
    secret: (message) =>
      answered((signal) =>
        password({
          message,
          output,
          signal,
          validate: (answer) => (answer?.trim() ? undefined : "type or paste the key"),
        }),
      ),
    passphrase: (message, check) =>
      typed((signal) =>
        password({
          message,
          output,
          signal,
          validate: (answer) => check(answer ?? "") ?? undefined,
        }),
      ),
    say: (words) => note(printable(words), undefined, { output }),
  };
}

/** A prompt does not notice that its input has ended, by Ctrl-D or because the terminal was closed: nothing would keep the
 *  process alive, and it would end without a word. */
async function untilInputEnds<T>(prompt: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { stdin } = process;
  const ended = new AbortController();
  let isAnswered = false;
  // An answered prompt pauses its input, too, just before it resolves.
  const look = (): unknown => setImmediate(() => (isAnswered ? undefined : ended.abort()));
  for (const event of ENDS) stdin.on(event, look);
  try {
    const answer = await prompt(ended.signal);
    if (ended.signal.aborted) throw inputEnded();
    return answer;
  } finally {
    isAnswered = true;
    for (const event of ENDS) stdin.off(event, look);
  }
}

const ENDS = ["pause", "end", "close"] as const;

function inputEnded(): WorkflowError {
  return new WorkflowError(
    failure(
      "USAGE",
      "the terminal's input ended before the question was answered; nothing was changed",
      "answer on a terminal that stays open, or give everything on the command line",
    ),
  );
}
