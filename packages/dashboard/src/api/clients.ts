import { type ClientRow, call } from "@uncaged/workflow-gateway/contract";
import { useReply } from "./queries.ts";

const EVERY_MS = 5_000;

/** The clients that this session may use, with their states. */
export function useClients() {
  return useReply(["clients"], (to, signal) => call(to, "listClients", { signal }), {
    everyMs: EVERY_MS,
  });
}

/** The client's row; undefined as long as it is not known. */
export function useClient(name: string): ClientRow | undefined {
  return useClients().data?.clients.find((client) => client.name === name);
}

/** Whether the caller may do it; as long as nothing is known, yes: the engine decides in the end. */
export function useMay(client: string, scope: "run" | "answer" | "edit"): boolean {
  return useClient(client)?.scopes.includes(scope) ?? true;
}
