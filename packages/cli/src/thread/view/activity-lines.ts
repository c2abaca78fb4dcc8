import type { Activity, ThreadActivity } from "@uncaged/workflow-protocol";
import { printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { ago, duration } from "../../terminal/times.ts";

/** The step under way and its agent's latest activities; the current one comes last, with its duration. */
export function activityLines(
  { role, round, agent, since, current, recent }: ThreadActivity,
  { style, nowMs }: { style: Style; nowMs: number },
): string {
  const by = agent === null ? "" : `  ${printableLine(agent, 60)}`;
  const head = `${style.cyan("now")} ${style.bold(`#${round} ${role}`)}${by}  ${style.dim(`for ${duration(nowMs - since)}`)}`;
  const past = recent.filter((activity) => !sameAs(activity, current));
  const lines = past.map((activity) => {
    const of = activity.round === round ? "" : `#${activity.round} ${activity.role} `;
    const when = style.dim(ago(activity.timestamp, nowMs).padEnd(AGO_CHARS));
    return `  ${when}  ${style.dim(of)}${painted(activity, style)}`;
  });
  const last =
    current === null
      ? []
      : [
          `  ${`for ${duration(nowMs - current.timestamp)}`.padEnd(AGO_CHARS)}  ${painted(current, style)}`,
        ];
  return `${[head, ...lines, ...last].join("\n")}\n`;
}

/** The width of `59 min ago`. */
const AGO_CHARS = 10;

/** One line of plain text: `> Read {"file":"a.ts"}`. */
export function activityText({ type, tool, text }: Activity): string {
  const mark = { tool_start: ">", text: "", result: "<", error: "!" }[type];
  return printableLine(
    [mark, tool ?? "", text.trim()].filter((part) => part !== "").join(" "),
    160,
  );
}

function painted(activity: Activity, style: Style): string {
  const text = activityText(activity);
  if (activity.type === "error") return style.red(text);
  return activity.type === "result" ? style.dim(text) : text;
}

function sameAs(activity: Activity, other: Activity | null): boolean {
  return JSON.stringify(activity) === JSON.stringify(other);
}
