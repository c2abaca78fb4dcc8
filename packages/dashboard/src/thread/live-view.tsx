import type { ThreadHead } from "@uncaged/workflow-gateway/contract";
import { memo, useEffect, useRef, useState } from "react";
import { oneLine, visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { useNow } from "../ui/time.tsx";
import { duration } from "../ui/times.ts";
import type { LivePart, LiveStep, LiveSteps } from "./live-steps.ts";

/** What the steps under way say and do. The newest line stays in sight only for somebody who is at the end. */
export function LiveView({ live, head }: { live: LiveSteps; head: ThreadHead }) {
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  useEffect(() => {
    if (atEnd && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  });
  const scrolled = () => {
    const { scrollTop = 0, clientHeight = 0, scrollHeight = 0 } = box.current ?? {};
    setAtEnd(scrollTop + clientHeight >= scrollHeight - 24);
  };
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={box}
        onScroll={scrolled}
        role="log"
        aria-label="Live output"
        aria-live="off"
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto p-3"
      >
        {live.length === 0 && <Recent head={head} />}
        {live.map((step) => (
          <OneStep key={step.key} step={step} />
        ))}
      </div>
      {!atEnd && (
        <Button
          size="small"
          className="absolute right-4 bottom-3 shadow-md"
          onClick={() => setAtEnd(true)}
        >
          ↓ Newest
        </Button>
      )}
    </div>
  );
}

/** Before the stream has said anything: what the engine knows of it. */
function Recent({ head: { activity } }: { head: ThreadHead }) {
  if (activity === null) return <p className="text-dim">Waiting for the first words…</p>;
  return (
    <section>
      <h2>{activity.role}</h2>
      <Since at={activity.since} agent={activity.agent} />
      <ul className="mt-2 space-y-0.5">
        {activity.recent.map((each) => (
          <li
            key={`${each.timestamp} ${each.text}`}
            className={each.type === "error" ? "text-bad" : ""}
          >
            <span className="hint">{each.tool ?? each.type}</span> {oneLine(each.text, 300)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function OneStep({ step }: { step: LiveStep }) {
  return (
    <section className="mb-4">
      <h2>
        {step.role}
        {step.group !== null && (
          <span className="hint">
            {" "}
            {step.group.name} #{step.group.index} of {step.group.of}
          </span>
        )}
      </h2>
      <Since at={step.since} agent={step.agent} />
      {step.dropped > 0 && <p className="hint">{step.dropped} older entries are not shown.</p>}
      <div className="mt-2 space-y-1.5">
        {step.parts.map((part) => (
          <Part key={part.id} part={part} />
        ))}
      </div>
    </section>
  );
}

function Since({ at, agent }: { at: number; agent: string | null }) {
  const now = useNow();
  return (
    <p className="hint">
      {agent !== null && `${agent}, `}for {duration(now - at)}
    </p>
  );
}

const Part = memo(function Part({ part }: { part: LivePart }) {
  if (part.kind === "text") {
    return (
      <p className="foreign" dir="auto">
        {visible(part.text)}
      </p>
    );
  }
  if (part.kind === "note") {
    return (
      <p className={`foreign text-xs ${part.bad ? "text-bad" : "text-dim"}`}>
        {visible(part.text)}
      </p>
    );
  }
  const mark = part.state === "runs" ? "▶" : part.state === "ok" ? "✓" : "✕";
  const word = part.state === "runs" ? "runs" : part.state === "ok" ? "done" : "failed";
  return (
    <p className="truncate rounded-sm bg-raised px-2 py-0.5 font-mono text-xs">
      <span
        className={
          part.state === "failed" ? "text-bad" : part.state === "ok" ? "text-good" : "text-accent"
        }
      >
        <span aria-hidden="true">{mark}</span> <span className="sr-only">{word} </span>
      </span>
      {oneLine(part.name, 60)} <span className="text-dim">{oneLine(part.input, 240)}</span>
    </p>
  );
});
