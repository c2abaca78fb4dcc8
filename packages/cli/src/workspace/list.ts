import { listWorkspaces, type Workspace } from "@uncaged/workflow-execute";
import { type Failure, ok, type Result } from "@uncaged/workflow-protocol";
import type { Output } from "../command/command.ts";
import { count } from "../command/count.ts";
import type { Io } from "../command/io.ts";
import { withEngine } from "../command/with-engine.ts";
import { printableLine } from "../terminal/printable.ts";
import { renderTable } from "../terminal/render-table.ts";
import type { Style } from "../terminal/style.ts";

export async function list(io: Io): Promise<Result<Output, Failure>> {
  const workspaces = await withEngine(io, listWorkspaces);
  return ok({ document: { workspaces }, human: (style) => text(workspaces, style) });
}

const NAME_CHARS = 80;
const PATH_CHARS = 200;

function text(workspaces: readonly Workspace[], style: Style): string {
  if (workspaces.length === 0)
    return "no worktrees; start a thread in one with: uncaged-workflow thread run <workflow> --worktree";
  return renderTable<Workspace>(
    workspaces,
    [
      {
        title: "THREAD",
        cell: ({ threadId, member }) => (member === null ? threadId : `${threadId} ${member}`),
      },
      { title: "STATUS", cell: ({ status }) => status ?? "removed" },
      { title: "SIZE", cell: ({ sizeBytes }) => megabytes(sizeBytes), align: "right" },
      { title: "CHANGES", cell: changes },
      {
        title: "BRANCH",
        cell: ({ branch }) => printableLine(branch ?? "(detached)", NAME_CHARS),
      },
      {
        title: "PATH",
        cell: ({ path }) => printableLine(path, PATH_CHARS),
        paint: style.dim,
        spare: true,
      },
    ],
    style.columns,
  );
}

/** What differs from the last commit, and whether a step has it. */
function changes({ changes: { length }, isSaved }: Workspace): string {
  if (length === 0) return isSaved ? "none" : "not saved";
  return `${count(length, "file")}${isSaved ? ", recorded" : ""}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
