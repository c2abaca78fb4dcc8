import type { ThreadIndex } from "@uncaged/workflow-gateway/contract";
import { type MouseEvent, useMemo } from "react";
import { duration, moment } from "../ui/times.ts";
import { barAt, lanesOf } from "./lanes.ts";

const LANE = 26;
const WIDTH = 1_000;

/** When each role played. However many the steps, they are one path a lane. */
export function TimeLine({
  index,
  startedAt,
  step,
  onChoose,
}: {
  index: ThreadIndex;
  startedAt: number;
  step: number;
  onChoose: (step: number) => void;
}) {
  const lanes = useMemo(() => lanesOf(index, startedAt), [index, startedAt]);
  const paths = useMemo(
    () =>
      lanes.roles.map((_role, lane) => ({
        ok: pathOf(lanes.bars.filter((bar) => bar.lane === lane && !bar.failed)),
        failed: pathOf(lanes.bars.filter((bar) => bar.lane === lane && bar.failed)),
      })),
    [lanes],
  );
  const chosen = lanes.bars[step - 1];
  if (lanes.roles.length === 0) return <p className="p-4 text-dim">No step has ended yet.</p>;
  const click = (event: MouseEvent<HTMLElement>, lane: number) => {
    const box = event.currentTarget.getBoundingClientRect();
    const to = barAt(lanes, lane, (event.clientX - box.left) / box.width);
    if (to !== null) onChoose(to);
  };
  return (
    <div className="h-full overflow-y-auto p-3">
      <p className="hint mb-2">
        {moment(lanes.from)}, {duration(lanes.to - lanes.from)} in all. Click a bar for its step; j
        and k go from step to step.
      </p>
      {lanes.roles.map((role, lane) => (
        <div key={role} className="mb-1">
          <p className="hint truncate">{role}</p>
          <button
            type="button"
            tabIndex={-1}
            aria-label={`Steps of ${role} in time`}
            onClick={(event) => click(event, lane)}
            className="block w-full"
          >
            <svg
              viewBox={`0 0 ${WIDTH} ${LANE}`}
              preserveAspectRatio="none"
              className="h-4 w-full rounded-sm bg-raised"
              aria-hidden="true"
            >
              <path d={paths[lane]?.ok} className="fill-accent opacity-70" />
              <path d={paths[lane]?.failed} className="fill-bad" />
              {chosen?.lane === lane && <path d={pathOf([chosen], 4)} className="fill-ink" />}
            </svg>
          </button>
        </div>
      ))}
    </div>
  );
}

function pathOf(bars: readonly { left: number; width: number }[], least = 1.5): string {
  return bars
    .map(({ left, width }) => {
      const wide = Math.max(least, width * WIDTH);
      const from = Math.min(left * WIDTH, WIDTH - wide);
      return `M${from.toFixed(1)} 0h${wide.toFixed(1)}v${LANE}h-${wide.toFixed(1)}z`;
    })
    .join("");
}
