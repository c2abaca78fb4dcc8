import { useVirtualizer } from "@tanstack/react-virtual";
import type { ThreadHead, ThreadIndex } from "@uncaged/workflow-gateway/contract";
import { memo, useEffect, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { duration } from "../ui/times.ts";
import type { LiveSteps } from "./live-steps.ts";

const HEIGHT = 28;

/** All steps of a thread, of which those in sight are in the page: the start first, what is under way last. Only
 *  somebody who follows is taken along when steps come. */
export function StepList({
  index,
  head,
  live,
  running,
  step,
  follow,
  onFollow,
  onChoose,
}: {
  index: ThreadIndex;
  head: ThreadHead;
  live: LiveSteps;
  running: boolean;
  step: number;
  follow: boolean;
  onFollow: () => void;
  onChoose: (step: number) => void;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const { stepCount, columns } = index;
  const count = stepCount + (running ? 2 : 1);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 20,
  });
  // A step that is chosen comes into sight; a list that grows alone stays where it is.
  const chosen = useRef(-1);
  useEffect(() => {
    if (chosen.current === step) return;
    chosen.current = step;
    virtual.scrollToIndex(step);
  }, [step, virtual]);
  const failures = columns.outcome.reduce((sum, outcome) => sum + (outcome === "ok" ? 0 : 1), 0);
  return (
    <>
      <div className="flex shrink-0 items-center gap-2 border-line border-b px-3 py-1">
        <h2 className="whitespace-nowrap tabular">
          {stepCount} {stepCount === 1 ? "step" : "steps"}
        </h2>
        {failures > 0 && (
          <span className="whitespace-nowrap text-bad text-xs">✕ {failures} failed</span>
        )}
        <span className="grow" />
        {running && (
          <Button
            size="small"
            look="bare"
            aria-pressed={follow}
            className="aria-pressed:bg-tint aria-pressed:text-accent"
            onClick={onFollow}
          >
            Follow
          </Button>
        )}
      </div>
      <div
        ref={scroller}
        role="listbox"
        aria-label="Steps"
        tabIndex={0}
        aria-activedescendant={`step-${step}`}
        className="min-h-0 flex-1 overflow-y-auto"
      >
        <div role="presentation" className="relative" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index: row, start }) => {
            const at = row - 1;
            if (row === 0) {
              return (
                <StartRow
                  key="start"
                  chosen={step === 0}
                  onChoose={onChoose}
                  title={head.workflow}
                />
              );
            }
            if (row > stepCount) {
              return (
                <LiveRow
                  key="live"
                  row={row}
                  top={start}
                  chosen={step === row}
                  roles={live.map(({ role }) => role)}
                  onChoose={onChoose}
                />
              );
            }
            return (
              <StepRow
                key={columns.stateHash[at]}
                row={row}
                top={start}
                role={columns.role[at] ?? ""}
                outcome={columns.outcome[at] ?? "ok"}
                status={columns.status[at] ?? null}
                member={columns.group[at]?.index ?? null}
                durationMs={columns.durationMs[at] ?? null}
                chosen={step === row}
                onChoose={onChoose}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

const ROW =
  "absolute inset-x-0 flex h-7 cursor-pointer items-center gap-2 px-3 hover:bg-raised aria-selected:bg-tint aria-selected:shadow-[inset_2px_0_var(--accent)]";

const StartRow = memo(function StartRow({
  chosen,
  title,
  onChoose,
}: {
  chosen: boolean;
  title: string;
  onChoose: (step: number) => void;
}) {
  return (
    <div
      role="option"
      id="step-0"
      tabIndex={-1}
      aria-selected={chosen}
      onClick={() => onChoose(0)}
      onKeyDown={(event) => event.key === "Enter" && onChoose(0)}
      className={ROW}
    >
      <span className="hint w-8 text-right">–</span>
      <span className="min-w-0 flex-1 truncate text-dim">start of {title}</span>
    </div>
  );
});

const StepRow = memo(function StepRow({
  row,
  top,
  role,
  outcome,
  status,
  member,
  durationMs,
  chosen,
  onChoose,
}: {
  row: number;
  top: number;
  role: string;
  outcome: string;
  status: string | null;
  member: number | null;
  durationMs: number | null;
  chosen: boolean;
  onChoose: (step: number) => void;
}) {
  const failed = outcome !== "ok";
  return (
    <div
      role="option"
      id={`step-${row}`}
      tabIndex={-1}
      aria-selected={chosen}
      onClick={() => onChoose(row)}
      onKeyDown={(event) => event.key === "Enter" && onChoose(row)}
      className={ROW}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span className="hint w-8 shrink-0 text-right tabular">{row}</span>
      <span className="min-w-0 flex-1 truncate">
        {member !== null && <span className="text-dim">┊ </span>}
        {role}
        {member !== null && <span className="hint"> #{member}</span>}
      </span>
      {failed ? (
        <span className="shrink-0 text-bad text-xs">✕ {outcome.replaceAll("_", " ")}</span>
      ) : (
        status !== null && <span className="hint max-w-24 truncate">{status}</span>
      )}
      <span className="hint w-14 shrink-0 text-right tabular">
        {durationMs === null ? "" : duration(durationMs)}
      </span>
    </div>
  );
});

function LiveRow({
  row,
  top,
  chosen,
  roles,
  onChoose,
}: {
  row: number;
  top: number;
  chosen: boolean;
  roles: readonly string[];
  onChoose: (step: number) => void;
}) {
  const [role = "starting"] = roles;
  return (
    <div
      role="option"
      id={`step-${row}`}
      tabIndex={-1}
      aria-selected={chosen}
      onClick={() => onChoose(row)}
      onKeyDown={(event) => event.key === "Enter" && onChoose(row)}
      className={ROW}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span aria-hidden="true" className="pulsing w-8 shrink-0 text-right text-accent">
        ▶
      </span>
      <span className="min-w-0 flex-1 truncate">
        {role}
        {roles.length > 1 && ` and ${roles.length - 1} more`}
      </span>
      <span className="text-accent text-xs">under way</span>
    </div>
  );
}
