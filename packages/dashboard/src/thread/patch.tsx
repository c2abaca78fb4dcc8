import type { StepPatch } from "@uncaged/workflow-gateway/contract";
import { useMemo, useState } from "react";
import { visible } from "../text/visible.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";

const ROWS_AT_ONCE = 400;
const MOST_OF_A_LINE = 2_000;

/** Git's text of a difference. A sign says what became of a line; the colour repeats it. */
export function Patch({ patch, isCut }: Pick<StepPatch, "patch" | "isCut">) {
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const rows = useMemo(() => rowsOf(patch ?? ""), [patch]);
  if (patch === null) {
    return <p className="hint py-1 pl-6">It is not text, or too large to be compared.</p>;
  }
  if (rows.length === 0) return <p className="hint py-1 pl-6">No line of it differs.</p>;
  return (
    <div className="my-1 rounded-sm border border-line">
      {rows.slice(0, most).map(({ sign, line, at }) => (
        <div
          key={at}
          className={`flex gap-2 px-2 ${sign === "+" ? "bg-good-tint" : sign === "−" ? "bg-bad-tint" : sign === "@" ? "bg-ground text-dim" : ""}`}
        >
          <span
            className={`w-2 shrink-0 select-none ${sign === "+" ? "text-good" : sign === "−" ? "text-bad" : ""}`}
          >
            {sign === "@" ? "" : sign}
          </span>
          <span className="foreign min-w-0 flex-1">{visible(line.slice(0, MOST_OF_A_LINE))}</span>
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-2 p-1">
        {rows.length > most && (
          <Button size="small" onClick={() => setMost(most + ROWS_AT_ONCE * 5)}>
            {rows.length - most} more lines
          </Button>
        )}
        <CopyButton label="Copy difference" text={() => patch} />
        {isCut && <span className="hint">The rest is not shown here.</span>}
      </div>
    </div>
  );
}

type Row = { sign: "+" | "−" | " " | "@"; line: string; at: number };

/** What stands before the first part is git's own: kept only where nothing follows, as when a mode changes. */
function rowsOf(patch: string): Row[] {
  const lines = patch.replace(/\n$/, "").split("\n");
  const first = lines.findIndex((line) => line.startsWith("@@ "));
  const shown =
    first < 0 ? lines.filter((line) => /^(old|new) mode /.test(line)) : lines.slice(first);
  return shown.map((line, at): Row => {
    if (first < 0 || line.startsWith("@@ ")) return { sign: "@", line, at };
    const sign = line.startsWith("+") ? "+" : line.startsWith("-") ? "−" : " ";
    return { sign, line: line.slice(1), at };
  });
}
