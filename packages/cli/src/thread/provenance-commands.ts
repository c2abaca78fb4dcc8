/** Commands that prove threads, and move them elsewhere. */
import type { Command } from "../command/command.ts";
import {
  type Argument,
  type Option,
  requiredArgument,
  switchOption,
  textOption,
  usageError,
} from "../command/options.ts";
import { chooser } from "./several/choose-threads.ts";
import { threadId } from "./start-commands.ts";

const exported: Option<string | null> = textOption(
  "--export <file>",
  "the thread in this export; nothing is imported",
);
const attestation: Option<string | null> = textOption(
  "--attestation <file>",
  "check the thread against this attestation, too",
);
const publicKey: Option<string | null> = textOption(
  "--public-key <file>",
  "the key with which the attestation must be signed",
);
export const verify: Command = {
  description: "Verify a thread: recompute every hash, digest, reference and route.",
  arguments: [threadId],
  options: [exported, attestation, publicKey],
  example: "7F3K --attestation thread.intoto.json --public-key attest.pub",
  run: async (given, io) => {
    const [claim, key] = [given(attestation), given(publicKey)];
    if ((claim === null) !== (key === null))
      throw usageError(
        "--attestation and --public-key go together: a signature proves who holds a key",
      );
    const against = claim === null || key === null ? null : { attestation: claim, publicKey: key };
    const { verify: prove } = await import("./proof/verify.ts");
    return prove({ id: given(threadId), exported: given(exported), against }, io);
  },
};

const keyFile: Option<string | null> = textOption(
  "--key <file>",
  "sign with this Ed25519 key (default: keys/attest.key, created on first use)",
);
const attestationOut: Option<string | null> = textOption(
  "--out <file>",
  "the attestation (default: <id>.intoto.json, here)",
);
const protectKey: Option<boolean> = switchOption(
  "--passphrase",
  "give keys/attest.key a new passphrase, which is asked for whenever it signs",
);
export const attest: Command = {
  description: "Sign an in-toto statement about a thread and all its nodes.",
  arguments: [threadId],
  options: [keyFile, protectKey, attestationOut],
  example: "7F3K --out thread.intoto.json",
  run: async (given, io) =>
    (await import("./proof/attest.ts")).attest(
      {
        ...{ id: given(threadId), key: given(keyFile), out: given(attestationOut) },
        protect: given(protectKey),
      },
      io,
    ),
};

const exportOut: Option<string | null> = textOption(
  "--out <path>",
  "the export (default: <id>.thread.tar, here); for several threads, their folder",
);
const withFiles: Option<boolean> = switchOption(
  "--with-files",
  "also the files that the steps recorded",
);
const exportable = chooser();
export const exportThread: Command = {
  description: "Write threads, each into one file: every node, its child threads, their bundles.",
  arguments: [exportable.argument],
  options: [exportOut, withFiles, ...exportable.options],
  example: "7F3K --out thread.tar",
  run: async (given, io) =>
    (await import("./proof/export.ts")).exportChosen(
      {
        choice: exportable.read(given),
        out: given(exportOut),
        withFiles: given(withFiles),
      },
      io,
    ),
};

const file: Argument<string> = requiredArgument("file", "what `thread export` wrote");
const into: Option<string | null> = textOption(
  "--into <folder>",
  "the git repository that gets the files of the steps (default: one in the storage root)",
);
export const importThread: Command = {
  description: "Import a thread from an export; all of it is verified before anything is written.",
  arguments: [file],
  options: [into],
  example: "thread.tar",
  run: async (given, io) =>
    (await import("./proof/import.ts")).importOne({ path: given(file), into: given(into) }, io),
};

export const recover: Command = {
  description:
    "Restore threads that a lost or older index.db does not know, from the history and the blobs.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./proof/recover.ts")).recover(io),
};
