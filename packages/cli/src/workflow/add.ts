import { resolve } from "node:path";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { type AddedWorkflow, addWorkflow } from "@uncaged/workflow-register";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { fieldFindings, ruleChecker } from "../command/rule-checker.ts";
import { warn } from "../command/warn.ts";
import { withRegistry } from "../command/with-registry.ts";

export async function add(
  what: {
    name: string;
    file: string;
    types: string | null;
    force: boolean;
    /** The version that it has to follow; left out: any. */
    onTopOf?: string;
  },
  io: Io,
): Promise<Result<Output, Failure>> {
  const { checks, warnings } = ruleChecker();
  const added = await withRegistry(io, ({ root, registry }) =>
    addWorkflow({
      root,
      registry,
      ...checks,
      packagesBase: import.meta.url,
      name: what.name,
      file: resolve(io.cwd, what.file),
      types: what.types === null ? null : resolve(io.cwd, what.types),
      nowMs: io.now(),
      judge: fieldFindings,
      force: what.force,
      ...(what.onTopOf === undefined ? {} : { onTopOf: what.onTopOf }),
    }),
  );
  if (!added.ok) return added;
  const { name, hash, sha256, previous, notes } = added.value;
  await warn(io, [...warnings(), ...notes]);
  return ok({
    document: { name, hash, sha256, previous },
    human: ({ bold, dim }) =>
      `${bold(name)} is ${hash}${dim(whatItWas(added.value))}\nRun it: uncaged-workflow run ${name} --prompt "…" --wait`,
  });
}

function whatItWas({ hash, previous }: AddedWorkflow): string {
  if (previous === null) return " (new)";
  return previous === hash ? " (it was already)" : ` (it was ${previous})`;
}
