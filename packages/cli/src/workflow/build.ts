import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { buildBundle } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command.ts";
import type { Io } from "../io.ts";
import { shellWord } from "../shell-word.ts";
import { ruleChecker } from "./rule-checker.ts";
import { warn } from "./warn.ts";

export async function build(
  what: { entry: string; out: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  const { checks, warnings } = ruleChecker();
  const built = await buildBundle({
    ...what,
    ...checks,
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
