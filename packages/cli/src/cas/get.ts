import { decodeNode } from "@uncaged/workflow-cas";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { stepStore } from "../command/step-store.ts";
import { checkedHash, withStore } from "./open-store.ts";

/** The blob as stored, or the text inside it. */
export async function getBlob(
  opts: { hash: string; payload: boolean },
  io: Io,
): Promise<Result<Output, Failure>> {
  const blob = await readStored(opts.hash, io);
  if (!blob.ok) return blob;
  const content = opts.payload ? textInside(opts.hash, blob.value) : blob;
  if (!content.ok) return content;
  return ok({ document: { hash: opts.hash, content: content.value }, verbatim: content.value });
}

export async function readStored(hash: string, io: Io): Promise<Result<string, Failure>> {
  const checked = checkedHash(hash);
  const text = await blobText(checked, io);
  if (!text.ok) return text;
  if (text.value !== null) return ok(text.value);
  return err(
    failure("CAS_MISSING", `the store has no blob ${hash}`, "see: uncaged-workflow cas list"),
  );
}

async function blobText(hash: string, io: Io): Promise<Result<string | null, Failure>> {
  const lent = stepStore(io.env);
  if (lent === null) return ok(await withStore(io, "read", (cas) => cas.get(hash)));
  const { stepBlob } = await import("../command/ask-step-store.ts");
  return stepBlob(lent, hash);
}

function textInside(hash: string, blob: string): Result<string, Failure> {
  const node = decodeNode(blob);
  if (!node.ok) return node;
  if (node.value.type === "content") return ok(node.value.payload);
  return err(
    failure(
      "USAGE",
      `${hash} is a ${node.value.type} node; only a content node holds a text`,
      `see: uncaged-workflow cas show ${hash}`,
    ),
  );
}
