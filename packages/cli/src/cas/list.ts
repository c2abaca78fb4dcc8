import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withStore } from "./open-store.ts";

export async function listBlobs(io: Io): Promise<Result<Output, Failure>> {
  const hashes = await withStore(io, "read", (cas) => cas.list());
  return ok({ document: { hashes }, human: () => hashes.map((hash) => `${hash}\n`).join("") });
}
