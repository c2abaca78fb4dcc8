import { isSaid } from "@uncaged/workflow-execute";
import type { StepView } from "@uncaged/workflow-protocol";
import { bodyWithoutMeta } from "@uncaged/workflow-util/body-without-meta";
import { printable, printableLine } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { isoSeconds } from "../../terminal/times.ts";
import { flowLines } from "./flow-lines.ts";
import { memberName } from "./member-name.ts";
import { money, spent } from "./spent.ts";
import { workerLines } from "./worker-lines.ts";

const META_CHARACTERS = 200;
const CONTENT_LINES = 12;
const CONTENT_CHARACTERS = 2_000;

/** A step for people: a head line, its agent, its meta with one field per line, and the beginning of what was said. */
export function renderStep(step: StepView, style: Style): string {
  const { meta, childThread, run } = step;
  const lines = [
    ...headLines(step, style),
    ...(run === null ? [] : playedBy(run, style)),
    ...personSaid(step, style),
    ...filesLine(step, style),
    ...evidenceLine(step, style),
    ...workerLines(step.workers, style),
    ...(run?.notes ?? []).map((note) => style.yellow(`  note: ${printableLine(note, 200)}`)),
    ...Object.entries(meta).map(
      ([field, value]) =>
        `  ${style.cyan(printableLine(field, 40))}: ${printableLine(text(value), META_CHARACTERS)}`,
    ),
  ];
  if (childThread !== null) lines.push(`  ${style.dim("child thread")} ${childThread}`);
  lines.push(...contentLines(step, style));
  return `${lines.join("\n")}\n`;
}

/** One line, or two where one is too long for the terminal. */
function headLines(step: StepView, style: Style): string[] {
  const { round, route, run, outcome, timestamp, stateHash } = step;
  const name = `#${round} ${memberName(step)}`;
  const by = route === null ? "" : ` (${printableLine(`${route.from}: ${route.condition}`, 80)})`;
  const fault = outcome === "ok" ? "" : `  ${outcome}`;
  const took = spent([run])[0];
  const place = [isoSeconds(timestamp), ...(took === undefined ? [] : [took]), stateHash].join(
    "  ",
  );
  const head = `${style.bold(name)}${by}${style.red(fault)}`;
  const width = name.length + by.length + fault.length + 2 + place.length;
  if (style.columns === null || width <= style.columns) return [`${head}  ${style.dim(place)}`];
  return [head, style.dim(`  ${place}`)];
}

/** What a person said in place of the table's prompt: an answer, a poke, the prompt of a fork. */
function personSaid({ route }: StepView, style: Style): string[] {
  if (route?.prompt == null || (route.promptFrom !== "person" && !isSaid(route.condition)))
    return [];
  return [style.yellow(`  a person said: ${printableLine(route.prompt, META_CHARACTERS)}`)];
}

/** Which agent ran the role, in which session, kept in what, at what cost. */
function playedBy(run: NonNullable<StepView["run"]>, style: Style): string[] {
  const { agent, session, isolation, usage } = run;
  if (agent === undefined) return [];
  const { name, version, binding } = agent;
  const called = binding === undefined || binding === name ? "" : ` (${binding})`;
  const words = [
    printableLine(`${name} ${version}${called}`, 60),
    ...(session == null ? [] : [printableLine(`session ${session}`, 60)]),
    ...(isolation === undefined ? [] : [`in a sandbox (${isolation})`]),
    ...money(usage ?? null),
  ];
  return flowLines(words, { indent: 2, columns: style.columns }).map(style.dim);
}

function filesLine({ workspace }: StepView, style: Style): string[] {
  if (workspace === undefined) return [];
  const { before, after, changedOutside } = workspace;
  const outside = changedOutside ? [style.yellow("  files: changed outside the thread")] : [];
  const trees = before === after ? "unchanged" : `${shortTree(before)} → ${shortTree(after)}`;
  return [...outside, style.dim(`  files ${trees}`)];
}

/** Of a step that was checked, and of every step that leaves the thread without valid evidence. */
function evidenceLine({ proof, round }: StepView, style: Style): string[] {
  if (proof === undefined) return [];
  const { state, tree, round: checked } = proof;
  if (state === "stale")
    return [
      style.yellow(
        `  stale evidence: step ${checked} was checked with files ${shortTree(tree)}, and they were changed`,
      ),
    ];
  if (state === "unapproved")
    return [style.yellow(`  evidence waits for an approver of what step ${checked} changed`)];
  return checked === round ? [style.dim(`  evidence of files ${shortTree(tree)}`)] : [];
}

const shortTree = (tree: string): string => tree.slice(0, 10);

/** What was said, unless it only repeats the meta, in any order. */
function contentLines(step: StepView, style: Style): string[] {
  const body = bodyWithoutMeta(step.content, step.meta);
  if (body === "") return [];
  const shown = printable(body.slice(0, CONTENT_CHARACTERS)).trimEnd().split("\n");
  const lines = shown
    .slice(0, CONTENT_LINES)
    .map((line) => `  ${style.dim("│")} ${line}`.trimEnd());
  if (shown.length > CONTENT_LINES || body.length > CONTENT_CHARACTERS) {
    lines.push(
      style.dim(`  │ … all of it: uncaged-workflow cas get --payload ${step.contentHash}`),
    );
  }
  return lines;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
