import { openRootBundle } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { rollbackWorkflow } from "@uncaged/workflow-register";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { warn } from "../command/warn.ts";
import { withRegistry } from "../command/with-registry.ts";

export async function rollback(
  what: { name: string; hash: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  const rolledBack = await withRegistry(io, ({ root, registry }) =>
    rollbackWorkflow({ root, registry, open: openRootBundle, ...what }),
  );
  if (!rolledBack.ok) return rolledBack;
  const { name, hash, previous, notes } = rolledBack.value;
  await warn(io, notes);
  return ok({
    document: { name, hash, previous },
    human: ({ bold, dim }) =>
      hash === previous
        ? `${bold(name)} is ${hash} already`
        : `${bold(name)} is ${hash} again ${dim(`(it was ${previous})`)}`,
  });
}
