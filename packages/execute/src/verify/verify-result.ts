/** Evaluates a workflow's result again and compares it with the end node. */
import { isDeepStrictEqual } from "node:util";
import type { RecordedResult, ThreadContext, WorkflowDescriptor } from "@uncaged/workflow-protocol";
import type { ChainState } from "../chain/chain.ts";
import { recordedResult } from "../chain/recorded-result.ts";
import { resultAfter } from "../run/result-after.ts";

/** null: the end node matches what the workflow returns for these steps. */
export async function resultMismatch(
  descriptor: Pick<WorkflowDescriptor, "result">,
  { node }: ChainState,
  context: ThreadContext,
): Promise<string | null> {
  const recorded = recordedResult(node);
  const now = node.payload.meta.returnCode === 0 ? await resultAfter(descriptor, context) : null;
  if (isDeepStrictEqual(recorded, now)) return null;
  // The wording of a failure comes from a library and may change with its version.
  if (recorded?.error !== undefined && now?.error !== undefined) return null;
  return `recorded ${words(recorded)}; the workflow now says ${words(now)}`;
}

function words(result: RecordedResult | null): string {
  if (result === null) return "no result";
  if (result.error !== undefined) return `a failure: ${result.error}`;
  const text = JSON.stringify(result.value);
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS).toWellFormed()}…`;
}

const SHOWN_CHARS = 200;
