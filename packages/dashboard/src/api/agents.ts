import { call } from "@uncaged/workflow-gateway/contract";
import { useReply } from "./queries.ts";

/** The agents that the client's configuration names. */
export function useAgents(client: string) {
  return useReply(["agents", client], (to, signal) => call(to, "listAgents", { client, signal }), {
    fresh: 30_000,
  });
}
