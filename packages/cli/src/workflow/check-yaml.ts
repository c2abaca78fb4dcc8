import { checkWorkflowFile } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Io } from "../command/io.ts";
import { ruleChecker } from "../command/rule-checker.ts";
import { type NamedYaml, withYamlFile } from "./with-yaml-file.ts";

/** Compiles a text and checks its bundle, as `workflow check` does with a file; nothing is registered. */
export function checkYaml(text: NamedYaml, io: Io): ReturnType<typeof checkWorkflowFile> {
  const { checks } = ruleChecker();
  const root = storageRoot(io.env);
  return withYamlFile(text, (file) =>
    checkWorkflowFile({ root, ...checks, packagesBase: import.meta.url, file, types: null }),
  );
}
