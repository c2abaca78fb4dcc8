import type { ThreadIndex } from "@uncaged/workflow-gateway/contract";
import { membersOf } from "./members.ts";

const MOST = 400;

/** The members of the group that the chosen step belongs to, each with its state. */
export function GroupMembers({
  index,
  step,
  onChoose,
}: {
  index: ThreadIndex;
  step: number | null;
  onChoose: (step: number) => void;
}) {
  const group = index.columns.group[(step ?? index.stepCount) - 1] ?? null;
  if (group === null) return null;
  const members = membersOf(index, group);
  const shown = members.slice(0, MOST).map((member, at) => ({ member, at }));
  const done = members.filter((member) => member !== null).length;
  return (
    <section
      aria-label={`Members of ${group.name}`}
      className="max-h-40 shrink-0 overflow-y-auto border-line border-t bg-surface p-2"
    >
      <h3 className="mb-1">
        {group.name}: {done} of {group.of} have ended
      </h3>
      <ul className="flex flex-wrap gap-1">
        {shown.map(({ member, at }) => (
          <li key={at}>
            {member === null ? (
              <span className="inline-block rounded-sm bg-raised px-1 text-dim text-xs tabular">
                #{at} …
              </span>
            ) : (
              <button
                type="button"
                aria-current={member.round === step ? "true" : undefined}
                onClick={() => onChoose(member.round)}
                className={`rounded-sm px-1 text-xs tabular aria-[current=true]:outline-2 aria-[current=true]:outline-accent ${member.outcome === "ok" ? "bg-good-tint text-good" : "bg-bad-tint text-bad"}`}
              >
                #{at} {member.outcome === "ok" ? "✓" : "✕"}
                <span className="sr-only"> {member.outcome}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {members.length > MOST && <p className="hint mt-1">{members.length - MOST} more members.</p>}
    </section>
  );
}
