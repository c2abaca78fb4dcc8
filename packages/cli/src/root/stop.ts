import { stopRootServer } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";

export async function stopServer(io: Io): Promise<Result<Output, Failure>> {
  const stopped = await stopRootServer(storageRoot(io.env));
  if (!stopped.ok) return stopped;
  const said = stopped.value ? "PostgreSQL has stopped\n" : "PostgreSQL was not running\n";
  return ok({ document: { stopped: stopped.value }, human: () => said });
}
