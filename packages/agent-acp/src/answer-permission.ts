import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { PermissionRequest } from "./session-update.ts";

/** The option for this one call, chosen by its kind: agents name and order their options as they like, and a
 *  permanent answer would take the next decision away from us. If there is none, the call is not made. */
export function answerPermission(
  options: PermissionRequest["options"],
  allowed: boolean,
): RequestPermissionResponse {
  const kind = allowed ? "allow_once" : "reject_once";
  const option = options.find((each) => each.kind === kind);
  return option === undefined
    ? NOT_MADE
    : { outcome: { outcome: "selected", optionId: option.optionId } };
}

export const NOT_MADE: RequestPermissionResponse = { outcome: { outcome: "cancelled" } };
