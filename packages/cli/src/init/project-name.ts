import {
  err,
  type Failure,
  failure,
  ok,
  type Result,
  WORKFLOW_NAME_PATTERN,
} from "@uncaged/workflow-protocol";

/** A project's name is also its package's and, by default, its workflow's. */
export function checkProjectName(name: string): Result<string, Failure> {
  if (WORKFLOW_NAME_PATTERN.test(name) && !REFUSED_BY_NPM.has(name)) return ok(name);
  return err(
    failure(
      "USAGE",
      `${JSON.stringify(name)} cannot be the name of a project; nothing was written`,
      "name the folder with lower-case letters, digits, . _ and -, such as: uncaged-workflow init my-flows",
    ),
  );
}

const REFUSED_BY_NPM: ReadonlySet<string> = new Set(["node_modules", "favicon.ico"]);
