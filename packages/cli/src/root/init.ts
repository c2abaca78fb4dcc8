import { initRoot } from "@uncaged/workflow-execute";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withProgress } from "../command/with-progress.ts";
import { withoutPassword } from "./without-password.ts";

export async function initSharedRoot(
  given: { postgres: string | null; s3: string | null; name: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  if (given.postgres === null) return err(noServer());
  const root = storageRoot(io.env);
  const { postgres, s3, name } = given;
  const made = await withProgress(io, "asking PostgreSQL", () =>
    initRoot({ root, postgres, s3, name: name ?? "main" }),
  );
  if (!made.ok) return made;
  const at = made.value.postgres;
  const server = at.kind === "embedded" ? at.folder : withoutPassword(at.url);
  const document = { root, postgres: server, name: made.value.name, s3: made.value.s3 };
  return ok({ document, human: () => text(document) });
}

type Made = { root: string; postgres: string; name: string; s3: string | null };

function text({ root, postgres, name, s3 }: Made): string {
  return [
    `${root} is the root ${name} in PostgreSQL`,
    `  server      ${postgres}`,
    `  long blobs  ${s3 ?? "in PostgreSQL"}`,
    "",
  ].join("\n");
}

function noServer(): Failure {
  return failure(
    "USAGE",
    "root init needs --postgres: where the root is to be",
    "uncaged-workflow root init --postgres embedded; or give the URL of a server",
  );
}
