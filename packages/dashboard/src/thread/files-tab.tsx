import { call, type StepDetail } from "@uncaged/workflow-gateway/contract";
import { useReply } from "../api/queries.ts";
import { visible } from "../text/visible.ts";
import { CopyButton } from "../ui/copy.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty } from "../ui/notice.tsx";

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
              {files.slice(0, MOST).map(({ path, change }) => (
                <li key={path} className="flex gap-2">
                  <span
                    className={
                      change === "added"
                        ? "text-good"
                        : change === "deleted"
                          ? "text-bad"
                          : "text-warn"
                    }
                  >
                    <span aria-hidden="true">{MARKS[change]}</span>
                    <span className="sr-only">{change}</span>
                  </span>
                  <span className="foreign">{visible(path)}</span>
                </li>
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
