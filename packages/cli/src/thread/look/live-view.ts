import {
  type AgentEvent,
  type LiveEvent,
  type LiveGap,
  sumUsage,
  type Usage,
} from "@uncaged/workflow-protocol";
import { printable, printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { duration } from "../../terminal/times.ts";
import { memberName } from "../view/member-name.ts";
import { paintStatus } from "../view/paint-status.ts";
import { money } from "../view/spent.ts";

/** `usual`: what agents say and which tools they use. `all`: every event, with its time. */
export type LiveDetail = "usual" | "all";

/** Turns live events into text, one after the other. It remembers whether a line is open, since agents speak in
 *  pieces, which member of a group was heard last, when each step under way began, and what it has used. */
export function liveView(style: Style, detail: LiveDetail): (item: LiveEvent | LiveGap) => string {
  let lineIsOpen = false;
  let heard: string | null = null;
  const steps = new Map<string, StepSoFar>();
  return (event) => {
    if (event.type === "gap") {
      const before = lineIsOpen ? "\n" : "";
      lineIsOpen = false;
      const { from, to } = event;
      return `${before}${style.yellow(`events ${from} to ${to} cannot be read any more`)}\n`;
    }
    const who = "role" in event ? memberName(event) : null;
    const step = following((who === null ? undefined : steps.get(who)) ?? NOTHING_YET, event);
    if (who !== null) steps.set(who, step);
    const text = eventText(event, { style, detail, step });
    if (text === "") return "";
    const speaks = event.type === "agent" && event.event.type === "text";
    // Members speak at the same time: each line belongs to one member, who is named when it is not the previous one.
    const another = event.type === "agent" && event.group !== undefined && who !== heard;
    const before = lineIsOpen && (another || !speaks) ? "\n" : "";
    const name = another ? style.dim(`${who}:\n`) : "";
    if (who !== null) heard = who;
    lineIsOpen = speaks && !text.endsWith("\n");
    const at = detail === "all" && !speaks ? `${style.dim(clock(event.timestamp))} ` : "";
    return before + name + at + text;
  };
}

type StepSoFar = { sinceMs: number | null; usage: Usage | null };

const NOTHING_YET: StepSoFar = { sinceMs: null, usage: null };

function following(step: StepSoFar, event: LiveEvent): StepSoFar {
  if (event.type === "step_started") return { sinceMs: event.timestamp, usage: null };
  if (event.type !== "agent" || event.event.type !== "usage") return step;
  return { ...step, usage: sumUsage(step.usage, event.event.usage) };
}

function eventText(
  event: LiveEvent,
  { style, detail, step }: { style: Style; detail: LiveDetail; step: StepSoFar },
): string {
  switch (event.type) {
    case "step_started": {
      const by =
        event.condition === null ? "" : style.dim(` (${printableLine(event.condition, 80)})`);
      const said =
        event.said === null
          ? ""
          : style.yellow(`  a person said: ${printableLine(event.said, 500)}\n`);
      return `${style.bold(`#${event.round} ${memberName(event)}`)}${by}\n${said}`;
    }
    case "step_completed": {
      const took = step.sinceMs === null ? [] : [duration(event.timestamp - step.sinceMs)];
      const meta = printableLine(JSON.stringify(event.meta), 200);
      const facts = [...took, ...money(step.usage), meta].join("  ");
      return `${style.green("done")} #${event.round} ${memberName(event)}  ${style.dim(facts)}\n`;
    }
    case "status": {
      const summary = event.summary === null ? "" : `: ${printable(event.summary)}`;
      return `${paintStatus(style, event.status)}${summary}\n`;
    }
    case "asked": {
      const question = style.yellow(`asks ${memberName(event)}: ${printable(event.message)}`);
      const how = `answer in another terminal: uncaged-workflow answer ${event.threadId}`;
      return `${question}\n${style.dim(how)}\n`;
    }
    case "note":
      return style.dim(`${event.about}: ${printableLine(event.message, 300)}\n`);
    case "agent":
      return agentText(event.event, style, detail);
  }
}

function agentText(event: AgentEvent, style: Style, detail: LiveDetail): string {
  switch (event.type) {
    case "text":
      return printable(event.text);
    case "tool":
      return toolText(event, style, detail);
    case "retry":
      return style.yellow(
        `retry in ${duration(event.delayMs)}: ${printableLine(event.reason, 200)}\n`,
      );
    case "permission":
      if (event.allowed && detail === "usual") return "";
      return style.yellow(
        `${event.allowed ? "allowed" : "denied"} ${event.tool}: ${printableLine(event.reason, 200)}\n`,
      );
    case "end": {
      if (event.outcome === "ok" && detail === "usual") return "";
      const words = ["agent ended:", event.outcome, printableLine(event.reason, 200)];
      return style.yellow(`${words.join(" ").trimEnd()}\n`);
    }
    case "started":
    case "usage":
      return detail === "usual" ? "" : style.dim(`${printableLine(JSON.stringify(event), 300)}\n`);
  }
}

function toolText(
  event: Extract<AgentEvent, { type: "tool" }>,
  style: Style,
  detail: LiveDetail,
): string {
  const name = printableLine(event.name, 60);
  if (event.phase === "start") {
    const input = printableLine(JSON.stringify(event.input), detail === "all" ? 2_000 : 120);
    return `${style.cyan(`> ${name}`)} ${style.dim(input)}\n`;
  }
  if (event.ok && detail === "usual") return "";
  return `${event.ok ? style.dim(`< ${name} ok`) : style.red(`< ${name} failed`)}\n`;
}

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23);
}
