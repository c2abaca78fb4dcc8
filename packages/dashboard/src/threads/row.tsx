import type { ThreadRow } from "@uncaged/workflow-gateway/contract";
import { memo } from "react";
import { Link } from "wouter";
import { threadAt } from "../shell/addresses.ts";
import { oneLine } from "../text/visible.ts";
import { Tag, ThreadStatusTag } from "../ui/status.tsx";
import { Ago } from "../ui/time.tsx";
import { count, money } from "../ui/times.ts";

export const ROW_HEIGHT = 46;

/** One thread: what it is, how it stands, what it is at, what it has used. */
export const Row = memo(function Row({
  client,
  thread,
  top,
  current,
  chosen,
  onToggle,
}: {
  client: string;
  thread: ThreadRow;
  top: number;
  current: boolean;
  chosen: boolean;
  onToggle: ((id: string) => void) | null;
}) {
  const { threadId, usage } = thread;
  const title = oneLine(thread.title ?? "", 160) || threadId;
  const tokens = usage === null ? null : usage.inputTokens + usage.outputTokens;
  return (
    <li
      aria-current={current ? "true" : undefined}
      className="absolute inset-x-0 flex items-center gap-3 border-line border-b bg-surface px-3 hover:bg-raised aria-[current=true]:bg-tint"
      style={{ height: ROW_HEIGHT, transform: `translateY(${top}px)` }}
    >
      {onToggle !== null && (
        <span className="flex">
          <input
            type="checkbox"
            aria-label={`Choose ${title}`}
            checked={chosen}
            onChange={() => onToggle(threadId)}
            className="size-4 accent-accent"
          />
        </span>
      )}
      <span className="w-30 shrink-0 max-sm:w-auto">
        <ThreadStatusTag status={thread.status} stale={thread.stale} />
      </span>
      <span className="min-w-0 flex-1">
        <Link
          href={threadAt(client, threadId)}
          className="block truncate text-ink no-underline hover:underline"
        >
          {title}
        </Link>
        <span className="hint flex gap-1.5 truncate">
          <span>{thread.workflow}</span>
          <span className="max-sm:hidden">{doing(thread)}</span>
          {Object.entries(thread.labels).map(([key, value]) => (
            <Tag key={key}>{oneLine(`${key}=${value}`, 40)}</Tag>
          ))}
        </span>
      </span>
      <span className="hint w-16 shrink-0 text-right tabular max-md:hidden">
        {thread.stepCount} {thread.stepCount === 1 ? "step" : "steps"}
      </span>
      <span className="hint w-28 shrink-0 text-right tabular max-lg:hidden">
        {tokens !== null && `${count(tokens)} tokens`}
        {usage?.costUsd != null && ` ${money(usage.costUsd)}`}
      </span>
      <span className="hint w-16 shrink-0 text-right">
        <Ago at={thread.updatedAt} />
      </span>
    </li>
  );
});

/** What it is at, in a few words. */
function doing({ activity, suspended, queue, nextRole, status, result }: ThreadRow): string {
  if (suspended !== null) return oneLine(`${suspended.role}: ${suspended.message}`, 110);
  if (activity !== null) {
    const now = activity.current;
    const words = now === null ? "" : `: ${now.tool ?? ""} ${now.text}`;
    return oneLine(`${activity.role}${words}`, 110);
  }
  if (queue !== null && queue.for.length > 0) return `waits for ${queue.for.join(", ")}`;
  if (status === "completed" && result !== undefined) return oneLine(JSON.stringify(result), 110);
  return nextRole == null ? "" : `next: ${nextRole}`;
}
