import { call, type StepDetail, type StepFiles } from "@uncaged/workflow-gateway/contract";
import { useState } from "react";
import { useReply } from "../api/queries.ts";
import { visible } from "../text/visible.ts";
import { CopyButton } from "../ui/copy.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty } from "../ui/notice.tsx";
import { Patch } from "./patch.tsx";

const MARKS = { added: "+", deleted: "−", modified: "~" } as const;
const MOST = 2_000;

/** The files that a step changed in its repository. */
export function FilesTab(props: {
  client: string;
  id: string;
  n: number;
  stateHash: string;
  step: StepDetail["step"];
}) {
  if (props.step.workspace === undefined) {
    return (
      <Empty title="Its files were not recorded">The step did not work in a git repository.</Empty>
    );
  }
  return <Files {...props} />;
}

function Files({
  client,
  id,
  n,
  stateHash,
}: {
  client: string;
  id: string;
  n: number;
  stateHash: string;
}) {
  const query = useReply(
    ["files", client, id, n, stateHash],
    (to, signal) => call(to, "stepFiles", { client, path: { id, n: String(n) }, signal }),
    { fresh: Number.POSITIVE_INFINITY },
  );
  return (
    <Loaded query={query}>
      {({ files, workspace }) => (
        <>
          {files.length === 0 ? (
            <p className="mb-3 text-dim">It changed no files.</p>
          ) : (
            <ul className="mb-3 font-mono text-xs">
              {files.slice(0, MOST).map((file) => (
                <ChangedFile key={file.path} file={file} of={{ client, id, n, stateHash }} />
              ))}
            </ul>
          )}
          {files.length > MOST && <p className="hint mb-3">{files.length - MOST} more.</p>}
          <Facts>
            <Fact name="Branch">{workspace.branch ?? "none"}</Fact>
            <Fact name="Commit">
              <span className="font-mono">{workspace.head ?? "none yet"}</span>
            </Fact>
            <Fact name="Work tree">
              <span className="foreign font-mono">{workspace.workTree}</span>
            </Fact>
            <Fact name="Tree before">
              <span className="font-mono">{workspace.before}</span>
            </Fact>
            <Fact name="Tree after">
              <span className="font-mono">{workspace.after}</span>
            </Fact>
          </Facts>
          <div className="mt-3 flex flex-wrap gap-2">
            <CopyButton label="Copy command" text={() => `uwf thread show ${id} --files ${n}`} />
            <CopyButton label="Copy paths" text={() => files.map(({ path }) => path).join("\n")} />
            <CopyButton
              label="Copy command for the difference"
              text={() =>
                `git --git-dir='${workspace.repository.replaceAll("'", "'\\''")}' diff ${workspace.before} ${workspace.after}`
              }
            />
          </div>
        </>
      )}
    </Loaded>
  );
}

type OfStep = { client: string; id: string; n: number; stateHash: string };

/** A file, and below it what became of its lines, once somebody wants to know. */
function ChangedFile({
  file: { path, change },
  of,
}: {
  file: StepFiles["files"][number];
  of: OfStep;
}) {
  const [open, setOpen] = useState(false);
  const colour = change === "added" ? "text-good" : change === "deleted" ? "text-bad" : "text-warn";
  return (
    <li>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full gap-2 rounded-sm py-0.5 text-left hover:bg-ground"
      >
        <span aria-hidden="true" className="text-dim">
          {open ? "▾" : "▸"}
        </span>
        <span className={colour}>
          <span aria-hidden="true">{MARKS[change]}</span>
          <span className="sr-only">{change}</span>
        </span>
        <span className="foreign min-w-0">{visible(path)}</span>
      </button>
      {open && <FilePatch path={path} {...of} />}
    </li>
  );
}

function FilePatch({ path, client, id, n, stateHash }: OfStep & { path: string }) {
  const query = useReply(
    ["patch", client, id, n, stateHash, path],
    (to, signal) =>
      call(to, "stepPatch", { client, path: { id, n: String(n) }, query: { path }, signal }),
    { fresh: Number.POSITIVE_INFINITY },
  );
  return <Loaded query={query}>{(found) => <Patch {...found} />}</Loaded>;
}
