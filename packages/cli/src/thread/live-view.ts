import type { AgentEvent, LiveEvent } from "@uncaged/workflow-protocol";
import { printable, printableLine } from "../printable.ts";
import type { Style } from "../style.ts";
import { paintStatus } from "./paint-status.ts";

/** `usual`: what agents say and which tools they use. `all`: every event, with its time. */
export type LiveDetail = "usual" | "all";

/** Turns live events into text, one after the other. It remembers only whether a line is open, since
 *  agents speak in pieces. */
export function liveView(style: Style, detail: LiveDetail): (event: LiveEvent) => string {
  let lineIsOpen = false;
  return (event) => {
    const text = eventText(event, style, detail);
    if (text === "") return "";
    const speaks = event.type === "agent" && event.event.type === "text";
    const before = lineIsOpen && !speaks ? "\n" : "";
    lineIsOpen = speaks && !text.endsWith("\n");
    const at = detail === "all" && !speaks ? `${style.dim(clock(event.timestamp))} ` : "";
    return before + at + text;
  };
}

function eventText(event: LiveEvent, style: Style, detail: LiveDetail): string {
  switch (event.type) {
    case "step_started": {
      const by =
        event.condition === null ? "" : style.dim(` (${printableLine(event.condition, 80)})`);
      return `${style.bold(`#${event.round} ${event.role}`)}${by}\n`;
    }
    case "step_completed": {
      const meta = printableLine(JSON.stringify(event.meta), 200);
      return `${style.green("done")} #${event.round} ${event.role}  ${style.dim(meta)}\n`;
    }
    case "status": {
      const summary = event.summary === null ? "" : `: ${printable(event.summary)}`;
      return `${paintStatus(style, event.status)}${summary}\n`;
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
      return style.yellow(`retry in ${event.delayMs} ms: ${printableLine(event.reason, 200)}\n`);
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
