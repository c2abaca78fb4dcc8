import { call, type StepDetail, type ThreadHead } from "@uncaged/workflow-gateway/contract";
import { Link } from "wouter";
import { useReply } from "../api/queries.ts";
import { threadAt } from "../shell/addresses.ts";
import { BoundedText } from "../text/bounded-text.tsx";
import { Said } from "../text/said.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Notice } from "../ui/notice.tsx";
import { Status, Tag } from "../ui/status.tsx";
import { type Tab, Tabs } from "../ui/tabs.tsx";
import { Ago } from "../ui/time.tsx";
import { duration } from "../ui/times.ts";
import { CostTab } from "./cost-tab.tsx";
import { EvidenceTab } from "./evidence-tab.tsx";
import { FilesTab } from "./files-tab.tsx";
import { MetaTab } from "./meta-tab.tsx";
import { RouteTab } from "./route-tab.tsx";

export type StepTab = "said" | "meta" | "evidence" | "files" | "route" | "cost" | "raw";
type Step = StepDetail["step"];

export const STEP_TABS: readonly Tab<StepTab>[] = [
  { name: "said", label: "Said" },
  { name: "meta", label: "Meta" },
  { name: "evidence", label: "Evidence" },
  { name: "files", label: "Files" },
  { name: "route", label: "Route" },
  { name: "cost", label: "Cost" },
  { name: "raw", label: "Raw" },
];

export function StepView({
  client,
  head,
  n,
  stateHash,
  tab,
  onTab,
}: {
  client: string;
  head: ThreadHead;
  n: number;
  stateHash: string;
  tab: StepTab;
  onTab: (tab: StepTab) => void;
}) {
  const id = head.threadId;
  // A step never changes; poke puts another one, with another state, in its place.
  const query = useReply(
    ["step", client, id, n, stateHash],
    (to, signal) => call(to, "showStep", { client, path: { id, n: String(n) }, signal }),
    { fresh: Number.POSITIVE_INFINITY },
  );
  return (
    <Loaded query={query}>
      {({ step }) => (
        <>
          <StepHead client={client} step={step} n={n} />
          <Tabs tabs={tabsOf(step)} chosen={tab} onChoose={onTab} label="Parts of the step">
            <div className="p-3">
              {tab === "said" && <Said text={step.content} />}
              {tab === "meta" && <MetaTab meta={step.meta} />}
              {tab === "evidence" && (
                <EvidenceTab client={client} id={id} n={n} stateHash={stateHash} />
              )}
              {tab === "files" && (
                <FilesTab client={client} id={id} n={n} stateHash={stateHash} step={step} />
              )}
              {tab === "route" && <RouteTab client={client} head={head} step={step} />}
              {tab === "cost" && <CostTab step={step} />}
              {tab === "raw" && <Raw step={step} />}
            </div>
          </Tabs>
        </>
      )}
    </Loaded>
  );
}

function tabsOf(step: Step): Tab<StepTab>[] {
  const badges: { [tab in StepTab]?: number } = { evidence: step.run?.evidence?.length ?? 0 };
  return STEP_TABS.map((tab) => ({ ...tab, badge: badges[tab.name] || null }));
}

function StepHead({ client, step, n }: { client: string; step: Step; n: number }) {
  const { run, group } = step;
  const took =
    run?.startedAt === undefined || run.completedAt === undefined
      ? null
      : run.completedAt - run.startedAt;
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-2 gap-y-0.5 px-3 pt-2 pb-1">
      <h2 className="text-base">
        <span className="text-dim tabular">{n}</span> {step.role}
      </h2>
      {step.outcome !== "ok" && <Status status={step.outcome} />}
      {typeof step.meta.status === "string" && step.meta.status.length < 40 && (
        <Tag>{step.meta.status}</Tag>
      )}
      {group !== undefined && (
        <Tag>
          {group.name} #{group.index} of {group.of}
        </Tag>
      )}
      {run?.policy === "held" && <Tag tone="good">✓ tool policy held</Tag>}
      {step.workspace?.changedOutside === true && (
        <Tag tone="warn">! files changed outside the thread</Tag>
      )}
      <span className="hint">
        {run?.agent !== undefined && `${run.agent.binding ?? run.agent.name}, `}
        <Ago at={step.timestamp} />
        {took !== null && `, took ${duration(took)}`}
      </span>
      {step.childThread !== null && (
        <Link href={threadAt(client, step.childThread)} className="text-accent text-xs">
          child thread
        </Link>
      )}
      {run?.notes !== undefined && run.notes.length > 0 && (
        <div className="basis-full">
          <Notice tone="warn">
            {run.notes.map((note) => (
              <p key={note} className="foreign">
                {note}
              </p>
            ))}
          </Notice>
        </div>
      )}
    </header>
  );
}

function Raw({ step }: { step: Step }) {
  const text = JSON.stringify(step, null, 2);
  return (
    <div>
      <div className="mb-2 flex flex-wrap gap-2">
        <CopyButton label="Copy JSON" text={() => text} />
        <CopyButton label="Copy state hash" text={() => step.stateHash} />
        <CopyButton label="Copy command" text={() => `uwf cas show ${step.stateHash}`} />
      </div>
      <BoundedText text={text} name="step" />
    </div>
  );
}
