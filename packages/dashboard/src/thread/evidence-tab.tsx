import { call, type EvidenceRow } from "@uncaged/workflow-gateway/contract";
import type { CheckEvidence, ToolCallRecord } from "@uncaged/workflow-protocol";
import { useState } from "react";
import { useReply } from "../api/queries.ts";
import { BoundedText } from "../text/bounded-text.tsx";
import { oneLine } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty } from "../ui/notice.tsx";
import { Status, Tag } from "../ui/status.tsx";
import { duration } from "../ui/times.ts";

const AT_FIRST = 100;

/** What the engine itself saw: the agent's calls, and checks that it ran on the files. */
export function EvidenceTab({
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
  const [most, setMost] = useState(AT_FIRST);
  const query = useReply(
    ["evidence", client, id, n, stateHash],
    (to, signal) => call(to, "stepEvidence", { client, path: { id, n: String(n) }, signal }),
    { fresh: Number.POSITIVE_INFINITY },
  );
  return (
    <Loaded query={query}>
      {({ evidence }) =>
        evidence.length === 0 ? (
          <Empty title="There is no evidence">
            The engine saw no tool call and ran no check in this step.
          </Empty>
        ) : (
          <>
            <ul className="divide-y divide-line">
              {evidence.slice(0, most).map((row) => (
                <li key={row.hash}>
                  <Row row={row} />
                </li>
              ))}
            </ul>
            {evidence.length > most && (
              <Button size="small" className="mt-2" onClick={() => setMost(most + AT_FIRST)}>
                Show more of {evidence.length}
              </Button>
            )}
          </>
        )
      }
    </Loaded>
  );
}

function Row({ row }: { row: EvidenceRow }) {
  if (row.kind === "call") return <Call record={row.call} />;
  if (row.kind === "check") return <Check check={row.check} />;
  return (
    <div className="py-2">
      <p className="hint font-mono">{row.hash}</p>
      {row.text === null ? (
        <p className="text-bad">It is missing from the store.</p>
      ) : (
        <BoundedText text={row.text} name={row.hash} />
      )}
    </div>
  );
}

function Call({ record }: { record: ToolCallRecord }) {
  const state = record.refused === true ? "refused" : record.ok ? "ok" : "failed";
  return (
    <details className="py-1.5">
      <summary className="flex items-center gap-2">
        <Status
          status={state}
          word={record.exitCode === null ? state : `exit ${record.exitCode}`}
        />
        <Tag>{record.kind}</Tag>
        <span className="min-w-0 flex-1 truncate font-mono text-xs">
          {oneLine(record.subject || record.name, 300)}
        </span>
        {record.durationMs !== null && <span className="hint">{duration(record.durationMs)}</span>}
      </summary>
      <div className="mt-1 space-y-2 border-line border-l-2 pl-3">
        <h3>Input of {oneLine(record.name, 60)}</h3>
        <BoundedText text={JSON.stringify(record.input, null, 2) ?? ""} name="input" />
        <h3>Output</h3>
        <BoundedText text={record.output} name="output" />
        {record.cwd !== undefined && <p className="hint foreign">in {record.cwd}</p>}
        {record.subagent !== undefined && <p className="hint">by subagent {record.subagent}</p>}
      </div>
    </details>
  );
}

function Check({ check }: { check: CheckEvidence }) {
  const runs = [
    { name: "The files as they are", run: check.clean },
    { name: "With the controls of the base", run: check.controlled },
    { name: "With tests that must fail", run: check.canary },
  ];
  return (
    <section className="py-2">
      <p className="flex flex-wrap items-center gap-2">
        <Status
          status={check.verdict === "passed" ? "ok" : "failed"}
          word={`check ${check.verdict}`}
        />
        <code className="foreign font-mono text-xs">{check.command.join(" ")}</code>
        <span className="hint">
          isolated by {check.isolation.by}, network {check.isolation.network}
        </span>
      </p>
      {check.faults.map(({ kind, message }) => (
        <p key={`${kind} ${message}`} className="foreign mt-1 text-bad">
          ✕ {message}
        </p>
      ))}
      {check.controls.length > 0 && (
        <p className="hint foreign mt-1">controls changed: {check.controls.join(", ")}</p>
      )}
      {runs.map(
        ({ name, run }) =>
          run !== null && (
            <details key={name} className="mt-1">
              <summary>
                {name}:{" "}
                {run.timedOut
                  ? "timed out"
                  : run.exitCode === null
                    ? "ended by a signal"
                    : `exit ${run.exitCode}`}
                <span className="hint"> {duration(run.durationMs)}</span>
              </summary>
              <div className="mt-1 border-line border-l-2 pl-3">
                <BoundedText text={run.output} name="output" />
              </div>
            </details>
          ),
      )}
    </section>
  );
}
