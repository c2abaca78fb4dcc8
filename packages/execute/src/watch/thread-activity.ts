/** What a running thread is doing now, from its live log.
 *
 *  1. The newest events are read first, and more only until the beginning of the current step is found.
 *  2. It is for display only: if the log has lost that beginning, there is nothing to show. */
import type {
  Activity,
  AgentEvent,
  LiveItem,
  LiveLog,
  LiveRecord,
  ThreadActivity,
} from "@uncaged/workflow-protocol";
import { looksBack } from "@uncaged/workflow-store";

const RECENT = 10;
const MAX_CHARS = 200;

/** null when no step is running. */
export async function threadActivity(
  live: Pick<LiveLog, "last" | "read">,
  threadId: string,
): Promise<ThreadActivity | null> {
  const last = await live.last(threadId);
  let seen: Seen | null = null;
  for (const after of looksBack(last)) {
    seen = await look(live, threadId, after);
    if (seen.step !== null || seen.atRest) break;
  }
  return seen === null ? null : summedUp(seen);
}

type Step = Pick<ThreadActivity, "role" | "round" | "agent" | "since">;

type Seen = {
  /** The step that is running; null: its beginning was not found. */
  step: Step | null;
  /** The last event seen is the end of a step or of the run. */
  atRest: boolean;
  /** The latest, oldest first. */
  activities: Activity[];
  /** Ids of tools that have not returned, with their input. */
  open: Map<string, Activity>;
};

async function look(live: Pick<LiveLog, "read">, threadId: string, after: number): Promise<Seen> {
  const seen: Seen = { step: null, atRest: false, activities: [], open: new Map() };
  const { signal } = new AbortController();
  for await (const item of live.read(threadId, { after, until: "end", signal })) take(seen, item);
  return seen;
}

function take(seen: Seen, item: LiveItem): void {
  switch (item.type) {
    case "step_started": {
      const { role, round, timestamp } = item;
      begin(seen, { role, round, agent: null, since: timestamp }, false);
      return;
    }
    case "step_completed":
      add(seen, item, { type: "result", tool: null, text: JSON.stringify(item.meta) });
      begin(seen, null, true);
      return;
    case "status":
      begin(seen, null, true);
      return;
    case "agent":
      takeAgent(seen, item, item.event);
      return;
    case "asked":
    case "note":
    case "gap":
      return;
  }
}

function begin(seen: Seen, step: Step | null, atRest: boolean): void {
  seen.step = step;
  seen.atRest = atRest;
  seen.open.clear();
}

type Place = Extract<LiveRecord, { type: "agent" | "step_completed" }>;

function takeAgent(seen: Seen, at: Place, event: AgentEvent): void {
  switch (event.type) {
    case "started":
      if (seen.step !== null) seen.step = { ...seen.step, agent: event.agent };
      return;
    case "text":
      say(seen, at, event.text);
      return;
    case "tool": {
      const { name: tool, id } = event;
      if (event.phase === "start") {
        const text = JSON.stringify(event.input);
        seen.open.set(id, add(seen, at, { type: "tool_start", tool, text }));
        return;
      }
      seen.open.delete(id);
      add(seen, at, { type: event.ok ? "result" : "error", tool, text: "" });
      return;
    }
    case "permission":
      if (!event.allowed) add(seen, at, { type: "error", tool: event.tool, text: event.reason });
      return;
    case "retry":
      add(seen, at, { type: "error", tool: null, text: event.reason });
      return;
    case "end": {
      const { outcome, reason } = event;
      if (outcome === "ok") return;
      add(seen, at, { type: "error", tool: null, text: `${outcome} ${reason}`.trimEnd() });
      return;
    }
    case "usage":
      return;
  }
}

/** Agents send text in pieces: a text that follows a text continues it. Its end is what is shown. */
function say(seen: Seen, at: Place, text: string): void {
  const before = seen.activities.at(-1);
  if (before?.type === "text" && before.round === at.round && before.role === at.role) {
    before.text = (before.text + text).slice(-MAX_CHARS).toWellFormed();
  } else if (text.trim() !== "") {
    add(seen, at, { type: "text", tool: null, text: text.slice(-MAX_CHARS) });
  }
}

function add(
  seen: Seen,
  { role, round, timestamp }: Place,
  { type, tool, text }: Pick<Activity, "type" | "tool" | "text">,
): Activity {
  const shown = text.slice(0, MAX_CHARS).toWellFormed();
  const activity: Activity = { type, role, round, tool, text: shown, timestamp };
  seen.activities.push(activity);
  if (seen.activities.length > RECENT) seen.activities.shift();
  return activity;
}

function summedUp({ step, activities, open }: Seen): ThreadActivity | null {
  if (step === null) return null;
  const newest = activities.at(-1);
  const speaks = newest?.type === "text" && newest.round === step.round ? newest : null;
  // Of several tools running at once, the one called last.
  const current = speaks ?? [...open.values()].at(-1) ?? null;
  return { ...step, current, recent: activities };
}
