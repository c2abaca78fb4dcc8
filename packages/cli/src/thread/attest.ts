import { resolve } from "node:path";
import { attestThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import { count } from "../count.ts";
import type { Io } from "../io.ts";
import { withThread } from "../with-engine.ts";

export async function attest(
  what: { id: string; out: string | null; key: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  return withThread(io, what.id, async (engine, thread) => {
    const file = resolve(io.cwd, what.out ?? `${thread.threadId}.intoto.json`);
    const key = what.key === null ? null : resolve(io.cwd, what.key);
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
