import type { ThreadStatus } from "@uncaged/workflow-protocol";

type Tone = "good" | "bad" | "warn" | "ask" | "accent" | "dim";

/** A status is told by its word and a shape; the colour only repeats it. */
const LOOKS: { readonly [status: string]: { mark: string; tone: Tone; word?: string } } = {
  running: { mark: "▶", tone: "accent" },
  queued: { mark: "◷", tone: "dim" },
  paused: { mark: "‖", tone: "warn" },
  suspended: { mark: "?", tone: "ask", word: "waits for you" },
  idle: { mark: "○", tone: "dim" },
  completed: { mark: "✓", tone: "good" },
  failed: { mark: "✕", tone: "bad" },
  aborted: { mark: "■", tone: "bad" },
  stale: { mark: "!", tone: "warn", word: "no sign of life" },
  connected: { mark: "●", tone: "good" },
  connecting: { mark: "◌", tone: "warn" },
  silent: { mark: "!", tone: "warn" },
  gone: { mark: "○", tone: "dim" },
  ok: { mark: "✓", tone: "good" },
};

const TONES: { readonly [tone in Tone]: string } = {
  good: "bg-good-tint text-good",
  bad: "bg-bad-tint text-bad",
  warn: "bg-warn-tint text-warn",
  ask: "bg-ask-tint text-ask",
  accent: "bg-tint text-accent",
  dim: "bg-raised text-dim",
};

export function Status({ status, word }: { status: string; word?: string | undefined }) {
  const { mark, tone, word: own } = LOOKS[status] ?? { mark: "✕", tone: "bad" as const };
  return (
    <Tag tone={tone}>
      <span aria-hidden="true" className={status === "running" ? "pulsing" : ""}>
        {mark}
      </span>
      {word ?? own ?? status.replaceAll("_", " ")}
    </Tag>
  );
}

export function Tag({ tone = "dim", children }: { tone?: Tone; children: React.ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1 whitespace-nowrap rounded-sm px-1.5 font-medium text-xs ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}

/** Of a thread: one whose runner is not heard from is said to be so. */
export function ThreadStatusTag({ status, stale }: { status: ThreadStatus; stale?: boolean }) {
  return <Status status={stale && status === "running" ? "stale" : status} />;
}
