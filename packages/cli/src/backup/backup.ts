import { resolve } from "node:path";
import { backUp } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import { count } from "../command/count.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";
import { withProgress } from "../command/with-progress.ts";

export async function writeBackup(
  { path, secrets }: { path: string; secrets: "with" | "without" },
  io: Io,
): Promise<Result<Output, Failure>> {
  const file = resolve(io.cwd, path);
  const done = await withEngine(io, (engine) =>
    withProgress(io, "backing up", () => backUp(engine, { file, secrets })),
  );
  if (!done.ok) return done;
  const { threads, blobs, bundles, bytes, sha256 } = done.value;
  const holds = [count(threads, "thread"), count(blobs, "blob"), count(bundles, "bundle")];
  return ok({
    document: done.value,
    human: ({ dim }) =>
      `${file}\n${dim(`${holds.join(", ")}, ${count(bytes, "byte")}; SHA-256 ${sha256}`)}`,
  });
}
