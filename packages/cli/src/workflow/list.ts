import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { openRegistry } from "../command/open-registry.ts";
import { renderTable } from "../terminal/render-table.ts";
import { ago } from "../terminal/times.ts";

export async function list(io: Io): Promise<Result<Output, Failure>> {
  const workflows = await openRegistry(storageRoot(io.env)).workflows();
  if (!workflows.ok) return workflows;
  const rows = [...workflows.value].map(([name, entry]) => ({ name, ...entry }));
  return ok({
    document: { workflows: rows.map(({ name, hash, timestamp }) => ({ name, hash, timestamp })) },
    human: ({ dim }) =>
      rows.length === 0
        ? "no workflows; add one with: uncaged-workflow workflow add <name> <file>"
        : renderTable(rows, [
            { title: "WORKFLOW", cell: ({ name }) => name },
            { title: "VERSION", cell: ({ hash }) => hash },
            { title: "BEFORE", cell: ({ history }) => String(history.length), align: "right" },
            { title: "ADDED", cell: ({ timestamp }) => ago(timestamp, io.now()), paint: dim },
          ]),
  });
}
