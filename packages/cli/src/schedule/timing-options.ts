/** When a schedule is due, as typed. */
import {
  durationOption,
  type Given,
  type Option,
  textOption,
  usageError,
} from "../command/options.ts";

const cron: Option<string | null> = textOption(
  "--cron <expression>",
  'due by minute, hour, day, month and weekday, such as "0 9 * * 1-5"',
);
const every: Option<number | null> = durationOption(
  "--every <duration>",
  "due at this interval, such as 30m or 2h, counted from now",
);
const at: Option<string | null> = textOption("--at <time>", "due once, such as 2026-12-01T09:00");
const zone: Option<string | null> = textOption(
  "--zone <zone>",
  "IANA time zone of --cron and --at, such as Europe/Zurich (default: this machine's)",
);

export const timingOptions: readonly (Option<string | null> | Option<number | null>)[] = [
  cron,
  every,
  at,
  zone,
];

/** The unparsed words: their parser takes a while to load. */
export type TypedTiming =
  | { kind: "cron" | "at"; text: string; zone: string | null }
  | { kind: "every"; everyMs: number };

/** Throws `USAGE` unless there is exactly one. */
export function timingOf(given: Given): TypedTiming {
  const [expression, everyMs, time, inZone] = [given(cron), given(every), given(at), given(zone)];
  if ([expression, everyMs, time].filter((each) => each !== null).length !== 1)
    throw usageError("say when it is due: --cron, --every or --at, and only one of them");
  if (expression !== null) return { kind: "cron", text: expression, zone: inZone };
  if (time !== null) return { kind: "at", text: time, zone: inZone };
  if (inZone !== null) throw usageError("--every does not depend on a time zone: leave out --zone");
  if (everyMs === null || everyMs === 0) throw usageError("--every must be longer than 0");
  return { kind: "every", everyMs };
}
