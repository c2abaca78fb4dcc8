import type { TextFault } from "@uncaged/workflow-gateway/contract";
import { visible } from "../text/visible.ts";

/** What the engine's compiler says, in the order of the text. */
export function FaultList({ faults, unread }: { faults: readonly TextFault[]; unread: boolean }) {
  if (unread) return null;
  if (faults.length === 0)
    return (
      <p className="hint px-4 py-2" role="status">
        ✓ The engine finds no fault.
      </p>
    );
  return (
    <ul className="border-line border-t px-4 py-2" aria-label="Faults">
      {faults.map(({ level, message, span }) => (
        <li
          key={`${span?.start} ${message}`}
          className={level === "fault" ? "text-bad" : "text-warn"}
        >
          {level === "fault" ? "✕ " : "! "}
          {span !== null && <span className="font-mono text-xs">line {span.line} </span>}
          {visible(message)}
        </li>
      ))}
    </ul>
  );
}
