import { type ReactNode, useRef } from "react";
import { useRowKeys } from "./row-keys.ts";

/** A view that scrolls as a whole, with its name at the top and keys through its rows. */
export function ScrollView({
  title,
  side,
  children,
}: {
  title: ReactNode;
  side?: ReactNode;
  children: ReactNode;
}) {
  const view = useRef<HTMLDivElement>(null);
  useRowKeys(view);
  return (
    <div ref={view} className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto w-full max-w-6xl p-4">
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <h1 className="min-w-fit flex-1">{title}</h1>
          {side}
        </div>
        {children}
      </div>
    </div>
  );
}
