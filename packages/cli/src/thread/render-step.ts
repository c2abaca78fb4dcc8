import type { StepView } from "@uncaged/workflow-protocol";
import { printable, printableLine } from "../printable.ts";
import type { Style } from "../style.ts";
import { duration, isoSeconds } from "../times.ts";

const META_CHARACTERS = 200;
const CONTENT_LINES = 12;
const CONTENT_CHARACTERS = 2_000;

/** A step for people: a head line, its meta one field a line, and the beginning of what was said. */
export function renderStep(step: StepView, style: Style): string {
  const { round, role, route, run, timestamp, stateHash, childThread } = step;
  const by = route === null ? "" : ` (${printableLine(`${route.from}: ${route.condition}`, 80)})`;
  const took =
    run?.startedAt === undefined || run.completedAt === undefined
      ? ""
      : `  ${duration(run.completedAt - run.startedAt)}`;
  const lines = [
    `${style.bold(`#${round} ${role}`)}${by}  ${style.dim(`${isoSeconds(timestamp)}${took}  ${stateHash}`)}`,
    ...Object.entries(step.meta).map(
      ([field, value]) =>
        `  ${style.cyan(printableLine(field, 40))}: ${printableLine(text(value), META_CHARACTERS)}`,
    ),
  ];
  if (childThread !== null) lines.push(`  ${style.dim("child thread")} ${childThread}`);
  lines.push(...contentLines(step, style));
  return `${lines.join("\n")}\n`;
}

/** What was said, unless it only repeats the meta. */
function contentLines(step: StepView, style: Style): string[] {
  if (step.content === JSON.stringify(step.meta)) return [];
  const shown = printable(step.content.slice(0, CONTENT_CHARACTERS)).trimEnd().split("\n");
  const lines = shown
    .slice(0, CONTENT_LINES)
    .map((line) => `  ${style.dim("│")} ${line}`.trimEnd());
  if (shown.length > CONTENT_LINES || step.content.length > CONTENT_CHARACTERS) {
    lines.push(
      style.dim(`  │ … all of it: uncaged-workflow cas get --payload ${step.contentHash}`),
    );
  }
  return lines;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
