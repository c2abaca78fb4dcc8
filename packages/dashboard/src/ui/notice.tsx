import type { ReactNode } from "react";

/** Something that is worth knowing: where it concerns, in a frame. */
export function Notice({
  tone = "dim",
  title,
  children,
}: {
  tone?: "bad" | "warn" | "dim";
  title?: string;
  children?: ReactNode;
}) {
  const look =
    tone === "bad"
      ? "border-bad/40 bg-bad-tint"
      : tone === "warn"
        ? "border-warn/40 bg-warn-tint"
        : "border-line bg-raised";
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={`rounded-sm border px-3 py-2 ${look}`}
    >
      {title !== undefined && <p className="font-semibold">{title}</p>}
      {children}
    </div>
  );
}

/** In place of a list that has nothing in it: what would be here, and how it comes here. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="px-4 py-10 text-center">
      <p className="font-medium text-base">{title}</p>
      {children !== undefined && <div className="mx-auto mt-1 max-w-md text-dim">{children}</div>}
    </div>
  );
}

export function Loading() {
  return (
    <p role="status" className="px-4 py-6 text-dim">
      Loading…
    </p>
  );
}
