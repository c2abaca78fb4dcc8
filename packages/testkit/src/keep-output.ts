import {
  type CasStore,
  failure,
  isHash,
  type RoleOutput,
  type RoleStep,
  toJsonObject,
  WorkflowError,
} from "@uncaged/workflow-protocol";

/** Makes a step from an output as the engine would, and refuses what the engine would refuse: a meta that is not
 *  plain JSON, a reference that is not a hash. (Whether an artifact is really stored is not checked: tests name
 *  artifacts that they never wrote.) */
export async function keepOutput(
  cas: CasStore,
  output: RoleOutput,
  timestamp: number,
): Promise<RoleStep> {
  const { role, refs = [], outcome } = output;
  const meta = toJsonObject(output.meta);
  if (meta === null) throw refused(role, "its meta is not plain JSON");
  const stray = refs.find((ref) => !isHash(ref));
  if (stray !== undefined) {
    throw refused(
      role,
      `its artifact ${JSON.stringify(stray)} is not a hash (13 characters of Crockford base32)`,
    );
  }
  return {
    role,
    meta,
    contentHash: await cas.put(output.content ?? JSON.stringify(meta)),
    refs,
    timestamp,
    childThread: output.childThread ?? null,
    run: output.run ?? null,
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function refused(role: string, why: string): WorkflowError {
  return new WorkflowError(
    failure("INVALID_OUTPUT", `the engine would refuse the output of ${role}: ${why}`, ""),
  );
}
