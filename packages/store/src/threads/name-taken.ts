import { type Failure, failure } from "@uncaged/workflow-protocol";

export function nameTaken(what: "schedule" | "trigger", name: string): Failure {
  return failure(
    "TARGET_EXISTS",
    `${what} ${name} already exists`,
    `choose another name, or remove it first: uncaged-workflow ${what} rm ${name}`,
  );
}
