import type { ReactNode } from "react";

/** Names and values beside each other. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1">
      {children}
    </dl>
  );
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents">
      <dt className="text-dim">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}
