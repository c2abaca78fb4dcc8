/** What an end node says that the workflow returned, evaluated again. */
import { isDeepStrictEqual } from "node:util";
import type { RecordedResult, ThreadContext, WorkflowDescriptor } from "@uncaged/workflow-protocol";
import type { ChainState } from "../chain/chain.ts";
import { recordedResult } from "../chain/recorded-result.ts";
import { resultAfter } from "../run/result-after.ts";

/** null: the node says what the workflow says of these steps. */
export async function resultMismatch(
  descriptor: Pick<WorkflowDescriptor, "result">,
  { node }: ChainState,
  context: ThreadContext,
): Promise<string | null> {
  const recorded = recordedResult(node);
  const now = node.payload.meta.returnCode === 0 ? await resultAfter(descriptor, context) : null;
  if (isDeepStrictEqual(recorded, now)) return null;
  // The words of a failure are those of a library, which another version of it may put differently.
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
