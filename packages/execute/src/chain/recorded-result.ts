/** What a workflow returned, as the end node's meta has it: `result`, or `resultError` when it could not be evaluated.
 *  Threads whose workflow has no `result` have neither. */
import {
  END,
  type JsonObject,
  type RecordedResult,
  type StateNode,
} from "@uncaged/workflow-protocol";

export function resultInMeta(result: RecordedResult | null): JsonObject {
  if (result?.value !== undefined) return { result: result.value };
  return result?.error === undefined ? {} : { resultError: result.error };
}

/** null: the node records no result. */
export function recordedResult(node: StateNode): RecordedResult | null {
  const { role, meta } = node.payload;
  if (role !== END) return null;
  if (meta.result !== undefined) return { value: meta.result };
  return typeof meta.resultError === "string" ? { error: meta.resultError } : null;
}
