import { call, type ThreadDiff } from "@uncaged/workflow-gateway/contract";
import type { JsonValue, Usage } from "@uncaged/workflow-protocol";
import { useState } from "react";
import { Link } from "wouter";
import { useReply } from "../api/queries.ts";
import { threadAt } from "../shell/addresses.ts";
import { oneLine } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { ScrollView } from "../ui/scroll.tsx";
import { Status, Tag } from "../ui/status.tsx";
import { count, money } from "../ui/times.ts";
import { SaidDiff } from "./said-diff.tsx";
import { TextDiff } from "./text-diff.tsx";

type Round = ThreadDiff["rounds"][number];
const AT_FIRST = 50;

/** Two threads, step by step: what they share is folded. */
export function ComparePage({ client, a, b }: { client: string; a: string; b: string }) {
  const query = useReply(["diff", client, a, b], (to, signal) =>
    call(to, "diffThreads", { client, path: { a, b }, signal }),
  );
  return (
    <ScrollView
      title="Two threads compared"
      side={<CopyButton label="Copy command" text={() => `uwf thread diff ${a} ${b}`} />}
    >
      <Loaded query={query}>
        {(diff) => (
          <>
            <div className="mb-4 grid grid-cols-2 gap-3">
              <Side client={client} side={diff.a} name="a" />
              <Side client={client} side={diff.b} name="b" />
            </div>
            <Rounds client={client} diff={diff} />
          </>
        )}
      </Loaded>
    </ScrollView>
  );
}

function Side({ client, side, name }: { client: string; side: ThreadDiff["a"]; name: string }) {
  return (
    <div className="rounded-md border border-line bg-surface p-3">
      <p className="flex flex-wrap items-center gap-2">
        <Tag>{name}</Tag>
        <Status status={side.status} />
        <Link href={threadAt(client, side.threadId)} className="font-mono text-accent text-xs">
          …{side.threadId.slice(-8)}
        </Link>
      </p>
      <p className="hint mt-1">{used(side.usage)}</p>
    </div>
  );
}

function used(usage: Usage | null): string {
  if (usage === null) return "nothing reported";
  const cost = usage.costUsd === null ? "" : `, ${money(usage.costUsd)}`;
  return `${count(usage.inputTokens + usage.outputTokens)} tokens${cost}`;
}

function Rounds({ client, diff }: { client: string; diff: ThreadDiff }) {
  const [open, setOpen] = useState(false);
  const [most, setMost] = useState(AT_FIRST);
  const shared = diff.rounds.filter(({ relation }) => relation === "shared");
  const others = diff.rounds.filter(({ relation }) => relation !== "shared");
  return (
    <>
      {shared.length > 0 && (
        <p className="mb-3">
          <Button size="small" look="bare" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? "▾" : "▸"} {shared.length} shared {shared.length === 1 ? "step" : "steps"}
          </Button>
          {open && (
            <span className="hint ml-2">
              {oneLine(shared.map(({ a }) => a?.role ?? "").join(" → "), 2_000)}
            </span>
          )}
        </p>
      )}
      {diff.partsAt === null && <p>They are the same as far as both go.</p>}
      <ol className="space-y-3">
        {others.slice(0, most).map((round) => (
          <li key={round.round}>
            <OneRound client={client} diff={diff} round={round} />
          </li>
        ))}
      </ol>
      {others.length > most && (
        <Button className="mt-3" onClick={() => setMost(most + AT_FIRST)}>
          Show more of {others.length} steps
        </Button>
      )}
    </>
  );
}

function OneRound({ client, diff, round }: { client: string; diff: ThreadDiff; round: Round }) {
  const [said, setSaid] = useState(false);
  const { a, b, relation } = round;
  const both = a !== null && b !== null;
  return (
    <article
      className="rounded-md border border-line bg-surface"
      aria-label={`Step ${round.round}`}
    >
      <header className="flex flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
        <h2 className="tabular">{round.round}</h2>
        <span>{a?.role ?? "–"}</span>
        {a?.role !== b?.role && <span>↔ {b?.role ?? "–"}</span>}
        <Tag tone={relation === "equal" ? "good" : "warn"}>
          {relation === "equal" ? "= same result" : both ? "≠ differs" : "one only"}
        </Tag>
        {both && a.condition !== b.condition && (
          <span className="hint">
            {a.condition} ↔ {b.condition}
          </span>
        )}
        <span className="grow" />
        {both && (
          <Button size="small" look="bare" aria-expanded={said} onClick={() => setSaid(!said)}>
            {said ? "▾" : "▸"} Text, files, cost
          </Button>
        )}
      </header>
      {round.changes.length > 0 && (
        <dl className="space-y-2 p-3">
          {round.changes.slice(0, 100).map((change) => (
            <div key={change.path}>
              <dt className="hint font-mono">{oneLine(change.path, 120)}</dt>
              <dd>
                <TextDiff a={textOf(change.a)} b={textOf(change.b)} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {said && <SaidDiff client={client} a={diff.a.threadId} b={diff.b.threadId} n={round.round} />}
    </article>
  );
}

const textOf = (value: JsonValue | undefined): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2);
