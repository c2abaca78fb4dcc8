/** Questions on this process's terminal. They go to stderr: stdout contains the command's document. */
import { cancel, note, password, select, text } from "@clack/prompts";
import { editText } from "./edit-text.ts";
import { printable, printableLine } from "./printable.ts";

export type Choice = { value: string; label: string };

/** Each returns null when the person cancels. */
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

export function terminalQuestions(env: NodeJS.ProcessEnv): Questions & FormQuestions {
  const output = process.stderr;
  const answered = (answer: string | symbol): string | null => {
    if (typeof answer === "string") return answer.trim();
    cancel("cancelled", { output });
    return null;
  };
  const ask: Questions["text"] = async (message, { suggestion, check }) =>
    answered(
      await text({
        message,
        output,
        initialValue: printableLine(suggestion, 2_000),
        validate: (answer) => check(answer?.trim() ?? "") ?? undefined,
      }),
    );
  return {
    choose: async (message, choices, marked) =>
      answered(
        await select({
          message,
          output,
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
    secret: async (message) =>
      answered(
        await password({
          message,
          output,
          validate: (answer) => (answer?.trim() ? undefined : "type or paste the key"),
        }),
      ),
    say: (words) => note(printable(words), undefined, { output }),
  };
}
