import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { attestThread, ownKeyFile, type Passphrases } from "@uncaged/workflow-execute";
import {
  err,
  type Failure,
  failure,
  ok,
  PROCESS_TAG_ENV,
  type Result,
} from "@uncaged/workflow-protocol";
import { isAtTerminal } from "../../command/at-terminal.ts";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { usageError } from "../../command/options.ts";
import { withThread } from "../../command/with-engine.ts";
import { askPassphrases } from "./ask-passphrase.ts";

/** `protect`: the storage root's own key gets a new passphrase. */
export async function attest(
  what: { id: string; out: string | null; key: string | null; protect: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  if (what.protect && what.key !== null)
    throw usageError("--passphrase is for the storage root's own key, not for that of --key");
  return withThread(io, what.id, async (engine, thread) => {
    const file = resolve(io.cwd, what.out ?? `${thread.threadId}.intoto.json`);
    const key = what.key === null ? null : resolve(io.cwd, what.key);
    const own = ownKeyFile(engine.root);
    if (io.env[PROCESS_TAG_ENV] && realPath(key ?? own) === realPath(own)) return err(insideStep());
    const passphrases = whoKnows(what, io);
    const attested = await attestThread(engine, thread, { file, key, passphrases });
    if (!attested.ok) return attested;
    const { subjects, keyId, publicKeyFile } = attested.value;
    const verifyWith = publicKeyFile === null ? "" : `\nVerify with: ${publicKeyFile}`;
    return ok({
      document: attested.value,
      human: ({ dim }) =>
        `${file}\n${dim(`${count(subjects, "digest")}, key ${keyId}`)}${verifyWith}`,
    });
  });
}

/** null: nobody is here who could be asked. */
function whoKnows({ protect }: { protect: boolean }, io: Io): Passphrases | null {
  if (isAtTerminal(io))
    return askPassphrases(
      async () => (await import("../../terminal/questions.ts")).terminalQuestions(io.env),
      protect,
    );
  if (protect) throw usageError("--passphrase asks for it on a terminal, but this is not one");
  return null;
}

/** An agent would sign its own work, in the name of the storage root. */
function insideStep(): Failure {
  return failure(
    "KEY_INVALID",
    "inside a step of a workflow, the storage root's own key cannot be used; nothing was signed",
    "sign where no agent runs, in CI or as another user, with a key that is kept there: thread attest <id> --key <file>",
  );
}

/** With symbolic links resolved, as far as it exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
