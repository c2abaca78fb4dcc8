import { statSync } from "node:fs";
import { failure, WorkflowError } from "@uncaged/workflow-protocol";
import { usageError } from "./options.ts";

/** The directory at this path. Throws `USAGE`, `FILE_NOT_FOUND`. */
export function workingFolder(path: string, option = "--cwd"): string {
  if (path.includes("\0"))
    throw usageError("a directory name cannot contain NUL", `check ${option}`);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new WorkflowError(
    failure("FILE_NOT_FOUND", `${JSON.stringify(path)} is not a directory`, `check ${option}`),
  );
}
