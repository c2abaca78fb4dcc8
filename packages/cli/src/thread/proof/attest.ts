import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { attestThread, ownKeyFile } from "@uncaged/workflow-execute";
import {
  err,
  type Failure,
  failure,
  ok,
  PROCESS_TAG_ENV,
  type Result,
} from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { withThread } from "../../command/with-engine.ts";

export async function attest(
  what: { id: string; out: string | null; key: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, what.id, async (engine, thread) => {
    const file = resolve(io.cwd, what.out ?? `${thread.threadId}.intoto.json`);
    const key = what.key === null ? null : resolve(io.cwd, what.key);
    const own = ownKeyFile(engine.root);
    if (io.env[PROCESS_TAG_ENV] && realPath(key ?? own) === realPath(own)) return err(insideStep());
    const attested = await attestThread(engine, thread, { file, key });
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
