/** Makes spans and counts of what happens to a thread under one owner.
 *
 *  1. A span is sent once, complete, when its end is known. A step that is cut off is sent as an attempt; the step's own
 *     span follows when another attempt completes it.
 *  2. Calls and turns wait for the end of their step: only its record says which model answered. */
import {
  type AgentEvent,
  type LiveEvent,
  type StatePayload,
  type StepGroup,
  sumUsage,
  type ThreadRecord,
  type Usage,
} from "@uncaged/workflow-protocol";
import type { Attributes, TelemetrySink } from "./telemetry-sink.ts";
import { innerSpanId, type StepPlace, stepKey, stepSpanId, threadSpanId } from "./trace-ids.ts";

export type TracedThread = {
  thread: ThreadRecord;
  traceId: string;
  /** Of the owner. */
  fence: number;
};

export type SpanSources = {
  sink: TelemetrySink;
  /** The node of a completed step. */
  state: (hash: string) => Promise<StatePayload>;
  /** The thread as it is now; null: it is gone. */
  current: () => Promise<ThreadRecord | null>;
  /** What the agent was told and said, as attributes; null: content is not reported. */
  words: ((state: StatePayload) => Promise<Attributes>) | null;
  /** Redacts a tool's arguments; null: content is not reported. */
  input: ((call: unknown) => string) | null;
};

type Call = {
  id: string;
  name: string;
  startMs: number;
  endMs: number | null;
  ok: boolean;
  input: unknown;
};
type Turn = {
  agent: string | null;
  session: string | null;
  startMs: number;
  endMs: number | null;
  error: string | null;
  usage: Usage | null;
  calls: Call[];
};
type OpenStep = StepPlace & {
  role: string;
  condition: string | null;
  startMs: number;
  turns: Turn[];
};

export function threadSpans(
  { thread, traceId, fence }: TracedThread,
  sources: SpanSources,
): (event: LiveEvent) => Promise<void> {
  const { sink } = sources;
  const { threadId, workflow } = thread;
  const threadSpan = threadSpanId(threadId);
  const open = new Map<string, OpenStep>();
  const common = { "uncaged.workflow": workflow, "uncaged.thread.id": threadId };

  const completed = async (event: LiveEvent & { type: "step_completed" }): Promise<void> => {
    const state = await sources.state(event.stateHash);
    const endMs = state.completedAt ?? event.timestamp;
    const step = open.get(stepKey(event)) ?? {
      ...placeOf(event),
      role: event.role,
      condition: state.route?.condition ?? null,
      startMs: state.startedAt ?? event.timestamp,
      turns: [],
    };
    open.delete(stepKey(event));
    const spanId = stepSpanId(threadId, event);
    const { agent, usage = null, outcome = "ok", childThread } = state;
    const told = sources.words === null ? {} : await sources.words(state);
    sendTurns(step, { spanId, endMs, state, told });
    sink.span({
      name: `step ${step.role}`,
      kind: "internal",
      ...{ traceId, spanId, parentSpanId: threadSpan, startMs: step.startMs, endMs },
      attributes: {
        ...stepAttributes(step),
        "uncaged.outcome": outcome,
        "uncaged.state": event.stateHash,
        ...(agent === undefined ? {} : { "gen_ai.agent.name": agent.name }),
        ...(usage?.costUsd == null ? {} : { "uncaged.cost.usd": usage.costUsd }),
      },
      error: outcome === "ok" ? null : outcome,
      links: [
        ...(childThread === null ? [] : [threadSpanId(childThread)]),
        ...(step.group === undefined ? [] : [openedBy(step.group)]),
      ],
    });
    countStep(step, state, (endMs - step.startMs) / 1_000);
  };

  /** The step whose rule led to the group; the thread, when it began with the group. */
  const openedBy = ({ entry }: StepGroup): string =>
    entry === 0 ? threadSpan : stepSpanId(threadId, { round: entry });

  const stepAttributes = ({ role, round, group, condition }: OpenStep): Attributes => ({
    ...common,
    "uncaged.role": role,
    "uncaged.round": round,
    ...(condition === null ? {} : { "uncaged.condition": condition }),
    ...(group === undefined
      ? {}
      : { "uncaged.group": group.name, "uncaged.group.index": group.index }),
  });

  const countStep = (step: OpenStep, state: StatePayload, seconds: number): void => {
    const { agent, usage = null, outcome = "ok", route } = state;
    if (route?.outcome === "limit") countLimit("rule");
    const by = {
      "uncaged.workflow": workflow,
      "uncaged.role": step.role,
      ...(agent === undefined ? {} : { "gen_ai.agent.name": agent.name }),
    };
    sink.count("uncaged.steps", 1, { ...by, "uncaged.outcome": outcome });
    sink.measure("uncaged.step.duration", seconds, by);
    if (outcome !== "ok") sink.count("uncaged.failures", 1, { ...by, "error.type": outcome });
    if (usage === null) return;
    const model = agent?.model === undefined ? {} : { "gen_ai.response.model": agent.model };
    for (const [type, tokens] of [
      ["input", usage.inputTokens],
      ["output", usage.outputTokens],
    ] as const)
      sink.measure("gen_ai.client.token.usage", tokens, {
        ...by,
        ...model,
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.token.type": type,
      });
    if (usage.costUsd !== null) sink.count("uncaged.cost", usage.costUsd, { ...by, ...model });
  };

  /** `rule`: the table had a rule for the case, and the thread continued. */
  const countLimit = (limit: string): void =>
    sink.count("uncaged.limits.reached", 1, {
      "uncaged.workflow": workflow,
      "uncaged.limit": limit,
    });

  type Ended = {
    spanId: string;
    endMs: number;
    /** null: the step was cut off. */
    state: StatePayload | null;
    told: Attributes;
  };

  const sendTurns = (step: OpenStep, { spanId, endMs, state, told }: Ended): void => {
    const turns =
      step.turns.length > 0 || state?.agent === undefined ? step.turns : [recorded(state)];
    for (const [n, turn] of turns.entries()) {
      const turnId = innerSpanId(spanId, fence, n);
      const name = state?.agent?.name ?? turn.agent ?? "agent";
      const only = turns.length === 1;
      const usage = only ? (state?.usage ?? turn.usage) : turn.usage;
      sink.span({
        name: `invoke_agent ${name}`,
        kind: "client",
        ...{ traceId, spanId: turnId, parentSpanId: spanId },
        ...{ startMs: turn.startMs, endMs: turn.endMs ?? endMs },
        attributes: {
          ...common,
          "gen_ai.operation.name": "invoke_agent",
          "gen_ai.provider.name": turn.agent ?? name,
          "gen_ai.agent.name": name,
          "gen_ai.response.finish_reasons": [turn.error ?? (state === null ? "cancelled" : "stop")],
          ...(state?.agent?.model === undefined
            ? {}
            : { "gen_ai.response.model": state.agent.model }),
          ...(turn.session === null ? {} : { "gen_ai.conversation.id": turn.session }),
          ...(usage === null ? {} : tokensOf(usage)),
          // Of several turns, the last one gave the answer.
          ...(n === turns.length - 1 ? told : {}),
        },
        error: turn.error,
        links: [],
      });
      for (const call of turn.calls) sendCall(call, { turnId, endMs: turn.endMs ?? endMs });
    }
  };

  const sendCall = (call: Call, { turnId, endMs }: { turnId: string; endMs: number }): void =>
    sink.span({
      name: `execute_tool ${call.name}`,
      kind: "internal",
      ...{ traceId, spanId: innerSpanId(turnId, "call", call.id, call.startMs) },
      parentSpanId: turnId,
      ...{ startMs: call.startMs, endMs: call.endMs ?? endMs },
      attributes: {
        ...common,
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.call.id": call.id,
        ...(sources.input === null
          ? {}
          : { "gen_ai.tool.call.arguments": sources.input(call.input) }),
      },
      error: call.ok ? null : call.endMs === null ? "cancelled" : "the call failed",
      links: [],
    });

  const cutOff = (endMs: number, why: string): void => {
    for (const step of open.values()) {
      const spanId = innerSpanId(stepSpanId(threadId, step), fence, "attempt");
      sendTurns(step, { spanId, endMs, state: null, told: {} });
      sink.span({
        name: `step ${step.role}`,
        kind: "internal",
        ...{ traceId, spanId, parentSpanId: threadSpan, startMs: step.startMs, endMs },
        attributes: { ...stepAttributes(step), "uncaged.outcome": "cut_off" },
        error: why,
        links: [],
      });
    }
    open.clear();
  };

  const rested = async (event: LiveEvent & { type: "status" }): Promise<void> => {
    const { status, summary, timestamp } = event;
    if (status === "running") return;
    const failed = status === "failed";
    cutOff(timestamp, failed ? codeIn(summary) : status);
    const now = (await sources.current()) ?? thread;
    if (now.status === "suspended")
      for (const wait of now.waits)
        if (wait.kind === "limit") countLimit(wait.limit?.bound ?? "unknown");
    if (status !== "completed" && status !== "aborted" && !failed) return;
    if (failed)
      sink.count("uncaged.failures", 1, {
        "uncaged.workflow": workflow,
        "error.type": codeIn(summary),
      });
    const { parentThread } = thread;
    sink.span({
      name: `thread ${workflow}`,
      kind: "internal",
      traceId,
      spanId: threadSpan,
      parentSpanId: parentThread === null ? null : threadSpanId(parentThread),
      ...{ startMs: now.createdAt, endMs: timestamp },
      attributes: {
        ...common,
        "uncaged.bundle": now.bundleHash,
        "uncaged.status": status,
        "uncaged.steps": now.stepCount,
        ...(now.usage === null ? {} : tokensOf(now.usage)),
        ...(now.usage?.costUsd == null ? {} : { "uncaged.cost.usd": now.usage.costUsd }),
      },
      error: failed ? codeIn(summary) : status === "aborted" ? "THREAD_ABORTED" : null,
      links: [],
    });
  };

  return async (event) => {
    if (event.type === "step_started") {
      const { role, condition, timestamp: startMs } = event;
      open.set(stepKey(event), { ...placeOf(event), role, condition, startMs, turns: [] });
    } else if (event.type === "agent") {
      const step = open.get(stepKey(event));
      if (step !== undefined) note(step, event.event, event.timestamp);
    } else if (event.type === "step_completed") await completed(event);
    else if (event.type === "status") await rested(event);
  };
}

function placeOf({ round, group }: StepPlace): StepPlace {
  return group === undefined ? { round } : { round, group };
}

function note(step: OpenStep, event: AgentEvent, atMs: number): void {
  if (event.type === "text") return;
  const last = step.turns.at(-1);
  const isNew = event.type === "started" || last === undefined || last.endMs !== null;
  const turn: Turn = isNew ? newTurn(atMs) : last;
  if (isNew) step.turns.push(turn);
  switch (event.type) {
    case "started":
      turn.agent = event.agent;
      turn.session = event.session;
      break;
    case "tool":
      if (event.phase === "start") {
        const { id, name, input } = event;
        turn.calls.push({ id, name, startMs: atMs, endMs: null, ok: false, input });
      } else {
        const call = turn.calls.findLast(({ id, endMs }) => id === event.id && endMs === null);
        if (call !== undefined) Object.assign(call, { endMs: atMs, ok: event.ok });
      }
      break;
    case "usage":
      turn.usage = sumUsage(turn.usage, event.usage);
      break;
    case "end":
      turn.endMs = atMs;
      turn.error = event.outcome === "ok" ? null : event.outcome;
      break;
  }
}

function newTurn(startMs: number): Turn {
  return {
    ...{ agent: null, session: null, startMs, endMs: null },
    ...{ error: null, usage: null, calls: [] },
  };
}

/** For an agent that reports nothing while it runs. */
function recorded(state: StatePayload): Turn {
  return {
    ...newTurn(state.startedAt ?? state.timestamp),
    session: state.session ?? null,
    endMs: state.completedAt ?? state.timestamp,
    error: state.outcome ?? null,
    usage: state.usage ?? null,
  };
}

function tokensOf(usage: Usage): Attributes {
  return {
    "gen_ai.usage.input_tokens": usage.inputTokens,
    "gen_ai.usage.output_tokens": usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens,
  };
}

/** A failed thread's summary begins with the code of its failure. */
function codeIn(summary: string | null): string {
  return /^([A-Z][A-Z_]+): /.exec(summary ?? "")?.[1] ?? "FAILED";
}
