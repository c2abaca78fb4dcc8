import { stopHost } from "@uncaged/workflow-host";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";

/** Ends the host, if there is one. */
export async function endHost(io: Io): Promise<Result<Output, Failure>> {
  const stopped = await stopHost(storageRoot(io.env), io.interruption());
  if (!stopped.ok) return stopped;
  const pid = stopped.value?.process.pid ?? null;
  return ok({
    document: { pid },
    human: () => (pid === null ? "no host is up\n" : `ended the host, process ${pid}\n`),
  });
}
