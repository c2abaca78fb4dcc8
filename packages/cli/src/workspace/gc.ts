import { collectWorkspaces } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";

export async function gc(io: Io): Promise<Result<Output, Failure>> {
  const collected = await withEngine(io, collectWorkspaces);
  const { removed, kept } = collected;
  return ok({
    document: collected,
    human: (style) => {
      if (removed.length + kept.length === 0) return "nothing to remove";
      const lines = [
        ...removed.map(({ path }) => `removed ${path}`),
        ...kept.map(({ message }) => `kept: ${message}`),
      ];
      const hint = kept.length === 0 ? "" : style.dim(`\n${HINT}`);
      return lines.join("\n") + hint;
    },
  });
}

const HINT =
  "keep their files with the thread and remove them: uncaged-workflow workspace rm <thread> --record";
