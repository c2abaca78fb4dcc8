import type { AgentEvent, LiveEvent, StepGroup } from "@uncaged/workflow-protocol";

/** What is said and done in the steps under way, for eyes: bounded, and gone when a step is stored. */
export type LiveSteps = readonly LiveStep[];

export type LiveStep = {
  /** Role, and which member of a group. */
  key: string;
  role: string;
  round: number;
  group: StepGroup | null;
  /** Unix milliseconds. */
  since: number;
  agent: string | null;
  parts: readonly LivePart[];
  /** How many older parts were let go. */
  dropped: number;
};

export type LivePart = { id: number } & (
  | { kind: "text"; text: string }
  | { kind: "tool"; call: string; name: string; input: string; state: "runs" | "ok" | "failed" }
  | { kind: "note"; text: string; bad: boolean }
);

/** What one step keeps: an agent may talk for days. */
const MOST_PARTS = 300;
const MOST_CHARS = 20_000;

/** `now` with what the events say, in their order. */
export function heard(now: LiveSteps, events: readonly LiveEvent[]): LiveSteps {
  const steps = new Map(now.map((step) => [step.key, { ...step, parts: [...step.parts] }]));
  for (const event of events) hear(steps, event);
  return [...steps.values()].map(bounded);
}

type Open = Omit<LiveStep, "parts"> & { parts: LivePart[] };

function hear(steps: Map<string, Open>, event: LiveEvent): void {
  switch (event.type) {
    case "step_started": {
      const { role, round, group = null, timestamp: since } = event;
      // The members of a group are under way together; else there is one step.
      for (const [key, step] of steps) {
        if (group === null || step.group === null || step.group.entry !== group.entry)
          steps.delete(key);
      }
      const key = keyOf(role, group);
      steps.set(key, { key, role, round, group, since, agent: null, parts: [], dropped: 0 });
      return;
    }
    case "agent": {
      const { role, round, group = null, timestamp: since } = event;
      const key = keyOf(role, group);
      const step = steps.get(key) ?? {
        key,
        role,
        round,
        group,
        since,
        agent: null,
        parts: [],
        dropped: 0,
      };
      steps.set(key, step);
      if (event.event.type === "started") step.agent = event.event.agent;
      else addTo(step, event.event);
      return;
    }
    case "step_completed":
      steps.delete(keyOf(event.role, event.group ?? null));
      return;
    case "status":
      if (event.status !== "running") steps.clear();
      return;
    default:
      return;
  }
}

function addTo(step: Open, event: Exclude<AgentEvent, { type: "started" }>): void {
  const last = step.parts.at(-1);
  const id = step.dropped + step.parts.length;
  switch (event.type) {
    case "text":
      if (last?.kind === "text")
        step.parts[step.parts.length - 1] = { ...last, text: last.text + event.text };
      else step.parts.push({ id, kind: "text", text: event.text });
      return;
    case "tool":
      if (event.phase === "start") {
        const input = JSON.stringify(event.input)?.slice(0, 400) ?? "";
        step.parts.push({
          id,
          kind: "tool",
          call: event.id,
          name: event.name,
          input,
          state: "runs",
        });
        return;
      }
      step.parts = step.parts.map((part) =>
        part.kind === "tool" && part.call === event.id
          ? { ...part, state: event.ok ? "ok" : "failed" }
          : part,
      );
      return;
    case "permission":
      step.parts.push({
        id,
        kind: "note",
        bad: !event.allowed,
        text: `${event.tool}: ${event.allowed ? "allowed" : "refused"}. ${event.reason}`.slice(
          0,
          600,
        ),
      });
      return;
    case "retry":
      step.parts.push({
        id,
        kind: "note",
        bad: true,
        text: `Tried again in ${Math.round(event.delayMs / 1_000)} s: ${event.reason}`.slice(
          0,
          600,
        ),
      });
      return;
    case "end":
      if (event.outcome !== "ok") {
        const text = `${event.outcome}: ${event.reason}`.slice(0, 600);
        step.parts.push({ id, kind: "note", bad: true, text });
      }
      return;
    default:
      return;
  }
}

function bounded(step: Open): LiveStep {
  const over = Math.max(0, step.parts.length - MOST_PARTS);
  const parts = step.parts
    .slice(over)
    .map((part) =>
      part.kind === "text" && part.text.length > MOST_CHARS
        ? { ...part, text: part.text.slice(-MOST_CHARS) }
        : part,
    );
  return { ...step, parts, dropped: step.dropped + over };
}

const keyOf = (role: string, group: StepGroup | null): string =>
  group === null ? role : `${role} ${group.name} ${group.entry} ${group.index}`;
