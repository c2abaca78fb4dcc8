import { type KeyboardEvent, type ReactNode, useRef } from "react";

export type Tab<Name extends string> = {
  name: Name;
  label: string;
  badge?: string | number | null;
};

/** Tabs as the ARIA practices have them: one stop for Tab, arrows between them. */
export function Tabs<Name extends string>({
  tabs,
  chosen,
  onChoose,
  label,
  children,
}: {
  tabs: readonly Tab<Name>[];
  chosen: Name;
  onChoose: (name: Name) => void;
  label: string;
  children: ReactNode;
}) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = tabs.findIndex(({ name }) => name === chosen);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.name);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus();
  };
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        onKeyDown={move}
        className="flex shrink-0 gap-0.5 overflow-x-auto border-line border-b px-2"
      >
        {tabs.map(({ name, label: word, badge }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            data-tab={name}
            aria-selected={name === chosen}
            aria-controls="tab-panel"
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
            className="-mb-px whitespace-nowrap border-transparent border-b-2 px-2 py-1.5 text-dim hover:text-ink aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink"
          >
            {word}
            {badge != null && <span className="hint ml-1 tabular">{badge}</span>}
          </button>
        ))}
      </div>
      <div
        role="tabpanel"
        id="tab-panel"
        aria-labelledby={`tab-${chosen}`}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto"
      >
        {children}
      </div>
    </div>
  );
}
