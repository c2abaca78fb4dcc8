import { resolve } from "node:path";
import { importThread } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../../command/command.ts";
import { count } from "../../command/count.ts";
import type { Io } from "../../command/io.ts";
import { ruleChecker } from "../../command/rule-checker.ts";
import { withEngine } from "../../command/with-engine.ts";
import { withProgress } from "../../command/with-progress.ts";

export async function importOne(
  { path, into }: { path: string; into: string | null },
  io: Io,
): Promise<Result<Output, Failure>> {
  const { checkRule } = ruleChecker().checks;
  const file = resolve(io.cwd, path);
  const folder = into === null ? null : resolve(io.cwd, into);
  const done = await withEngine(io, (engine) =>
    withProgress(io, "checking and importing", () =>
      importThread(engine, { file, checkRule, into: folder }),
    ),
  );
  if (!done.ok) return done;
  const { threadId, threads, imported, nodes } = done.value;
  const what = `${count(threads.length, "thread")}, ${count(nodes, "node")}`;
  return ok({
    document: done.value,
    human: ({ dim }) =>
      `${threadId}\n${dim(imported.length === 0 ? `it was here already: ${what}` : `imported ${what}`)}`,
  });
}
