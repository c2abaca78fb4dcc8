import { type Failure, failure } from "@uncaged/workflow-protocol";

export function scheduleExists(name: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `there is a schedule ${name} already`,
    `choose another name, or remove it first: uncaged-workflow schedule rm ${name}`,
  );
}
