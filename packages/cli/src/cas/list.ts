import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { openStore } from "./open-store.ts";

export async function listBlobs(io: Io): Promise<Result<Output, Failure>> {
  const hashes = await openStore(io).list();
  return ok({ document: { hashes }, human: () => hashes.map((hash) => `${hash}\n`).join("") });
}
