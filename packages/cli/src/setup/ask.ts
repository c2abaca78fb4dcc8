/** Questions on this process's terminal. They go to stderr: stdout contains the command's document. */
import { cancel, password, select, text } from "@clack/prompts";
import { printableLine } from "../terminal/printable.ts";

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

export function terminalQuestions(): Questions {
  const output = process.stderr;
  const answered = (answer: string | symbol): string | null => {
    if (typeof answer === "string") return answer.trim();
    cancel("cancelled", { output });
    return null;
  };
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
    text: async (message, { suggestion, check }) =>
      answered(
        await text({
          message,
          output,
          initialValue: printableLine(suggestion, 2_000),
          validate: (answer) => check(answer?.trim() ?? "") ?? undefined,
        }),
      ),
    secret: async (message) =>
      answered(
        await password({
          message,
          output,
          validate: (answer) => (answer?.trim() ? undefined : "type or paste the key"),
        }),
      ),
  };
}
