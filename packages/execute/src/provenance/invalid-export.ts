import { type Failure, failure } from "@uncaged/workflow-protocol";

/** What is wrong with an export, and where. */
export function invalidExport(path: string, problem: string): Failure {
  return failure(
    "EXPORT_INVALID",
    `${path} is not a valid export: ${problem}`,
    "nothing was imported; get the file again, or export the thread again",
  );
}
