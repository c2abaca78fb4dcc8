import { call } from "@uncaged/workflow-gateway/contract";
import { useReply } from "../api/queries.ts";

/** A version of a workflow; without `version`, the current one. */
export function useWorkflow(client: string, name: string, version?: string) {
  return useReply(
    ["workflow", client, name, version ?? null],
    (to, signal) =>
      call(to, "showWorkflow", {
        client,
        path: { name },
        query: version === undefined ? {} : { version },
        signal,
      }),
    // A version never changes; which one is current does.
    { fresh: version === undefined ? 5_000 : Number.POSITIVE_INFINITY },
  );
}
