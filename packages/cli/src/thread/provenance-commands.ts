/** Commands that prove threads, and take them elsewhere. */
import type { Command } from "../command.ts";
import { type Argument, misuse, type Option, requiredArgument, textOption } from "../options.ts";
import { threadId } from "./start-commands.ts";

const exported: Option<string | null> = textOption(
  "--export <file>",
  "the thread in this export; nothing is imported",
);
const attestation: Option<string | null> = textOption(
  "--attestation <file>",
  "hold the thread against this attestation, too",
);
const publicKey: Option<string | null> = textOption(
  "--public-key <file>",
  "the key that the attestation must be signed with",
);
export const verify: Command = {
  description: "Prove a thread: every hash, digest, reference and route, computed again.",
  arguments: [threadId],
  options: [exported, attestation, publicKey],
  example: "7F3K --attestation thread.intoto.json --public-key attest.pub",
  run: async (given, io) => {
    const [claim, key] = [given(attestation), given(publicKey)];
    if ((claim === null) !== (key === null))
      throw misuse(
        "--attestation and --public-key go together: a signature proves who holds a key",
      );
    const against = claim === null || key === null ? null : { attestation: claim, publicKey: key };
    const { verify: prove } = await import("./verify.ts");
    return prove({ id: given(threadId), exported: given(exported), against }, io);
  },
};

const keyFile: Option<string | null> = textOption(
  "--key <file>",
  "sign with this Ed25519 key (default: keys/attest.key, made when it is first needed)",
);
const attestationOut: Option<string | null> = textOption(
  "--out <file>",
  "the attestation (default: <id>.intoto.json, here)",
);
export const attest: Command = {
  description: "Sign what a thread is: an in-toto statement over every node of it.",
  arguments: [threadId],
  options: [keyFile, attestationOut],
  example: "7F3K --out thread.intoto.json",
  run: async (given, io) =>
    (await import("./attest.ts")).attest(
      { id: given(threadId), key: given(keyFile), out: given(attestationOut) },
      io,
    ),
};

const exportOut: Option<string | null> = textOption(
  "--out <file>",
  "the export (default: <id>.thread.tar, here)",
);
export const exportThread: Command = {
  description: "Write a thread into one file: every node, its child threads, their bundles.",
  arguments: [threadId],
  options: [exportOut],
  example: "7F3K --out thread.tar",
  run: async (given, io) =>
    (await import("./export.ts")).exportOne({ id: given(threadId), out: given(exportOut) }, io),
};

const file: Argument<string> = requiredArgument("file", "what `thread export` wrote");
export const importThread: Command = {
  description: "Take a thread over from an export, all of it proved before anything is written.",
  arguments: [file],
  options: [],
  example: "thread.tar",
  run: async (given, io) => (await import("./import.ts")).importOne(given(file), io),
};

export const recover: Command = {
  description:
    "Make threads again that a lost or older index.db does not know: from the history and the blobs.",
  arguments: [],
  options: [],
  example: "--json",
  run: async (_given, io) => (await import("./recover.ts")).recover(io),
};
