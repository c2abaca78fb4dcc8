import type { Passphrases } from "@uncaged/workflow-execute";
import { printableLine } from "../../terminal/printable.ts";
import type { KeyQuestions } from "../../terminal/questions.ts";

/** Who can read the file can try as often as they like. */
const LEAST_CHARACTERS = 12;
/** What OpenSSL takes. */
const MOST_BYTES = 1_000;

/** Asks the person at the terminal. `protects`: for a new one, too. */
export function askPassphrases(
  questions: () => Promise<KeyQuestions>,
  protects: boolean,
): Passphrases {
  return {
    open: async (file) =>
      (await questions()).passphrase(`The passphrase of ${printableLine(file, 200)}`, (typed) =>
        typed === "" ? "type it, or cancel with Ctrl-C" : null,
      ),
    protect: protects ? async () => newPassphrase(await questions()) : null,
  };
}

async function newPassphrase(questions: KeyQuestions): Promise<string | null> {
  const chosen = await questions.passphrase("A new passphrase for the key", (typed) => {
    if ([...typed].length < LEAST_CHARACTERS) return `at least ${LEAST_CHARACTERS} characters`;
    return Buffer.byteLength(typed) > MOST_BYTES ? `at most ${MOST_BYTES} bytes` : null;
  });
  if (chosen === null) return null;
  return questions.passphrase("The same again", (typed) =>
    typed === chosen ? null : "that is another one",
  );
}
