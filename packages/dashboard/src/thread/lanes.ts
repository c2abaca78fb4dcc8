import type { ThreadIndex } from "@uncaged/workflow-gateway/contract";

/** A time line: one lane a role, one bar a step. Positions are parts of the whole, 0 to 1. */
export type Lanes = {
  roles: readonly string[];
  /** Unix milliseconds. */
  from: number;
  to: number;
  bars: readonly { round: number; lane: number; left: number; width: number; failed: boolean }[];
};

export function lanesOf({ columns }: Pick<ThreadIndex, "columns">, startedAt: number): Lanes {
  const roles = [...new Set(columns.role)];
  const laneOf = new Map(roles.map((role, at) => [role, at]));
  let to = startedAt + 1;
  for (const end of columns.timestamp) to = Math.max(to, end);
  const whole = to - startedAt;
  const bars = columns.timestamp.map((end, at) => {
    const begin = Math.max(startedAt, end - (columns.durationMs[at] ?? 0));
    return {
      round: at + 1,
      lane: laneOf.get(columns.role[at] ?? "") ?? 0,
      left: clamp((begin - startedAt) / whole),
      width: clamp((end - begin) / whole),
      failed: columns.outcome[at] !== "ok",
    };
  });
  return { roles, from: startedAt, to, bars };
}

/** The step whose bar is nearest to a place in a lane; null: the lane has none. */
export function barAt({ bars }: Lanes, lane: number, place: number): number | null {
  let best: { round: number; far: number } | null = null;
  for (const bar of bars) {
    if (bar.lane !== lane) continue;
    const far = Math.max(bar.left - place, place - bar.left - bar.width, 0);
    if (best === null || far < best.far) best = { round: bar.round, far };
  }
  return best?.round ?? null;
}

const clamp = (part: number): number => Math.max(0, Math.min(1, part));
