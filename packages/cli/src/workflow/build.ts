import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { buildBundle } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { fieldFindings, ruleChecker } from "../command/rule-checker.ts";
import { shellWord } from "../command/shell-word.ts";
import { warn } from "../command/warn.ts";

export async function build(
  what: { entry: string; out: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  const { checks, warnings } = ruleChecker();
  const built = await buildBundle({
    ...what,
    ...checks,
    judge: fieldFindings,
    cwd: io.cwd,
    root: storageRoot(io.env),
    packagesBase: import.meta.url,
  });
  if (!built.ok) return built;
  const { file, hash, sha256, descriptorFile, externals, notes } = built.value;
  await warn(io, [...warnings(), ...notes]);
  return ok({
    document: { file, hash, sha256, descriptorFile, externals },
    human: ({ bold, dim }) =>
      [
        `${bold(file)} is ${hash}`,
        dim(externals.length === 0 ? "it needs no package" : `it needs ${externals.join(", ")}`),
        `Register it: uncaged-workflow workflow add <name> ${shellWord(file)}`,
      ].join("\n"),
  });
}
