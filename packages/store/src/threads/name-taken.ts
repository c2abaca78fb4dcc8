import { type Failure, failure } from "@uncaged/workflow-protocol";

export function nameTaken(what: "schedule" | "trigger", name: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `there is a ${what} ${name} already`,
    `choose another name, or remove it first: uncaged-workflow ${what} rm ${name}`,
  );
}
