import { type CasStore, failure, parseJson, WorkflowError } from "@uncaged/workflow-protocol";

/** The text in a content node. Throws `CAS_MISSING` or `CAS_NOT_A_NODE`; for a damaged blob the store itself throws. */
export async function readContent(cas: Pick<CasStore, "get">, hash: string): Promise<string> {
  const blob = await cas.get(hash);
  if (blob === null) throw refused("CAS_MISSING", `content ${hash} is not in the store`);
  const text = payloadOf(blob);
  if (text === null) throw refused("CAS_NOT_A_NODE", `${hash} is not a content node`);
  return text;
}

/** A blob has three lines, type, payload and refs, each with a JSON value, which contains no raw line break. */
function payloadOf(blob: string): string | null {
  const [type, payload] = blob.split("\n", 2);
  if (type !== 'type: "content"' || !payload?.startsWith("payload: ")) return null;
  const text = parseJson(payload.slice("payload: ".length));
  return typeof text === "string" ? text : null;
}

function refused(code: "CAS_MISSING" | "CAS_NOT_A_NODE", message: string): WorkflowError {
  return new WorkflowError(failure(code, message, "run: uncaged-workflow cas fsck"));
}
