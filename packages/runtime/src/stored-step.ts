import type { CasStore, RoleOutput, RoleStep } from "@uncaged/workflow-protocol";

/** Builds a step from an output that nobody stored: the engine answers a `yield` with the stored step, a plain `for
 *  await` answers with nothing. */
export async function storedStep(cas: CasStore, output: RoleOutput): Promise<RoleStep> {
  return {
    role: output.role,
    meta: output.meta,
    contentHash: await cas.put(output.content ?? JSON.stringify(output.meta)),
    refs: output.refs ?? [],
    timestamp: Date.now(),
    childThread: output.childThread ?? null,
    run: output.run ?? null,
    ...(output.outcome === undefined ? {} : { outcome: output.outcome }),
  };
}
