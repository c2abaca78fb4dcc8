import { decodeNode, nodeToYaml } from "@uncaged/workflow-cas";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { printable } from "../terminal/printable.ts";
import { readStored } from "./get.ts";

/** A node as block YAML; with `--json` the node itself. */
export async function showBlob(hash: string, io: Io): Promise<Result<Output, Failure>> {
  const blob = await readStored(hash, io);
  if (!blob.ok) return blob;
  const node = decodeNode(blob.value);
  if (!node.ok) return node;
  const yaml = await nodeToYaml(node.value);
  return ok({ document: { hash, ...node.value }, human: () => printable(yaml) });
}
