import { estimatedUsage, type Usage } from "@uncaged/workflow-protocol";
import type { ToldUsage } from "./reply-builder.ts";

/** What the server reported, and an estimate of what it did not: a budget counts both. A request and a reply with
 *  text are never free, so a 0 there means nothing. */
export function knownUsage(
  told: ToldUsage,
  size: { sentChars: number; receivedChars: number },
): Usage {
  const { cachedInputTokens, costUsd } = told;
  const estimate = estimatedUsage(size);
  const inputTokens = told.inputTokens || estimate.inputTokens;
  const outputTokens = told.outputTokens || estimate.outputTokens;
  const usage = { inputTokens, outputTokens, cachedInputTokens, costUsd };
  const isTold = inputTokens === told.inputTokens && outputTokens === (told.outputTokens ?? 0);
  return isTold ? usage : { ...usage, estimated: true };
}
