import { resolve } from "node:path";
import { type MovedRoot, moveRoot } from "@uncaged/workflow-execute";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import { count } from "../command/count.ts";
import type { Io } from "../command/io.ts";
import { withProgress } from "../command/with-progress.ts";

export async function moveSharedRoot(
  given: { to: string | null; s3: string | null; name: string | null; dryRun: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  if (given.to === null) return err(noPlace());
  const { s3, name, dryRun } = given;
  const root = storageRoot(io.env);
  let doing = "asking both sides";
  const moved = await withProgress(
    io,
    () => doing,
    () =>
      moveRoot({
        root,
        to: isPlace(given.to) ? given.to : resolve(io.cwd, given.to ?? ""),
        name: name ?? "main",
        s3,
        dryRun,
        progress: (what, done, total) => {
          doing = `${what}: ${done} of ${total}`;
        },
      }),
  );
  if (!moved.ok) return moved;
  const document = { ...moved.value, dryRun };
  return ok({ document, human: ({ dim }) => text(document, dim) });
}

function isPlace(to: string | null): to is string {
  return to === "embedded" || (to ?? "").includes("://");
}

function text(
  { from, to, threads, blobs, bytes, bundles, resumed, dryRun }: MovedRoot & { dryRun: boolean },
  dim: (text: string) => string,
): string {
  const what = [
    count(threads, "thread"),
    `${count(blobs, "blob")} of ${count(bytes, "byte")}`,
    count(bundles, "bundle"),
  ].join(", ");
  if (dryRun)
    return [`from  ${from}`, `to    ${to}`, dim(`${what}; nothing was changed`)].join("\n");
  const said = resumed ? "all of it was there already" : `${what}; each was compared`;
  return [
    `moved from ${from}`,
    `to         ${to}`,
    dim(said),
    dim("what is left where it was changes no more; remove it when you need it no more"),
  ].join("\n");
}

function noPlace(): Failure {
  return failure(
    "USAGE",
    "root move needs --to: where the root is to be",
    "uncaged-workflow root move --to postgres://user@host:port/database; or embedded; or back to its folder",
  );
}
