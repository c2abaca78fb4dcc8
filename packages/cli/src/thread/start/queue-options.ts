/** When a thread may start, and with which priority. */
import type { Placement } from "@uncaged/workflow-protocol";
import {
  durationIn,
  type Given,
  type Option,
  parsedOption,
  switchOption,
  usageError,
} from "../../command/options.ts";
import { placementOf, placementOptions } from "../../command/placement-options.ts";

export const priorityOption: Option<number | null> = parsedOption(
  "--priority <n>",
  "the queued thread with the highest priority starts first (default: 0)",
  wholeNumber,
);
const after: Option<number | { inMs: number } | null> = parsedOption(
  "--after <when>",
  "queue the thread until then: a duration, such as 90s or 2h, or a time, such as 2026-11-23T09:00",
  moment,
);
const queued: Option<boolean> = switchOption(
  "--queue",
  "queue the thread even if there is room for it; a host starts it",
);

export const queueOptions: readonly Option<unknown>[] = [
  priorityOption,
  after,
  queued,
  ...placementOptions,
];

export type Queueing = Placement & {
  priority: number;
  /** null: it starts now, if there is room. */
  queue: { notBefore: number | null } | null;
};

export function queueingOf(given: Given, nowMs: number): Queueing {
  const when = given(after);
  const notBefore = typeof when === "object" && when !== null ? nowMs + when.inMs : when;
  const isQueued = given(queued) || notBefore !== null;
  const priority = given(priorityOption) ?? 0;
  return { priority, queue: isQueued ? { notBefore } : null, ...placementOf(given) };
}

const MOST = 1_000_000;

function wholeNumber(text: string, name: string): number {
  const value = Number(text);
  if (/^-?[0-9]+$/.test(text) && Math.abs(value) <= MOST) return value;
  throw usageError(`${name} must be a whole number; it was ${JSON.stringify(text)}`);
}

const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?$/;

/** Without a zone, the machine's local time. */
function moment(text: string, name: string): number | { inMs: number } {
  const time = TIME.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return time;
  const inMs = durationIn(text);
  if (inMs !== null) return { inMs };
  throw usageError(
    `${name} must be a duration, such as 90s, 15m or 2h, or a time, such as 2026-11-23T09:00; it was ${JSON.stringify(text)}`,
  );
}
