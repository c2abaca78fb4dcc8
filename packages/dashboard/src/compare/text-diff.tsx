import { diffLines } from "diff";
import { useMemo } from "react";
import { visible } from "../text/visible.ts";

/** Longer texts are compared only as far as this, in characters. */
const MOST = 60_000;
const MOST_ROWS = 1_500;

/** Two texts as one, with what each has alone. A sign says whose line it is; the colour repeats it. */
export function TextDiff({ a, b }: { a: string; b: string }) {
  const rows = useMemo(() => rowsOf(a.slice(0, MOST), b.slice(0, MOST)), [a, b]);
  if (rows === null) return <p className="hint">The texts are too different to be shown as one.</p>;
  return (
    <div className="overflow-x-auto rounded-sm border border-line font-mono text-xs">
      {rows.slice(0, MOST_ROWS).map(({ line, sign, at }) => (
        <div
          key={at}
          className={`flex gap-2 px-2 ${sign === "+" ? "bg-good-tint" : sign === "−" ? "bg-bad-tint" : ""}`}
        >
          <span
            className={`w-[1ch] shrink-0 select-none ${sign === "+" ? "text-good" : "text-bad"}`}
          >
            {sign}
          </span>
          <span className="foreign min-w-0 flex-1">{visible(line.slice(0, 2_000))}</span>
        </div>
      ))}
      {(rows.length > MOST_ROWS || a.length > MOST || b.length > MOST) && (
        <p className="hint p-2">The rest is not compared here.</p>
      )}
    </div>
  );
}

function rowsOf(a: string, b: string) {
  const parts = diffLines(a, b, { timeout: 400 });
  if (parts === undefined) return null;
  const lines = parts.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => ({ line, sign: added ? "+" : removed ? "−" : " " })),
  );
  return lines.map((row, at) => ({ ...row, at }));
}
