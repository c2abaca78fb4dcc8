import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import { readRegistry } from "@uncaged/workflow-register";
import { storageRoot } from "@uncaged/workflow-util";
import type { Output } from "../command/command.ts";
import type { Io } from "../command/io.ts";
import { renderTable } from "../terminal/render-table.ts";
import { ago } from "../terminal/times.ts";

export async function list(io: Io): Promise<Result<Output, Failure>> {
  const registry = await readRegistry(storageRoot(io.env));
  if (!registry.ok) return registry;
  const rows = [...registry.value.workflows].map(([name, entry]) => ({ name, ...entry }));
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
