import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { Button } from "./button.tsx";

/** The browser's own modal dialog: it holds the focus, gives it back, and Escape closes it. */
export function Dialog({
  title,
  onClose,
  children,
  wide = false,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  wide?: boolean;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (dialog !== null && !dialog.open) {
      dialog.showModal();
      // What is to be filled in comes before the button that closes.
      dialog.querySelector<HTMLElement>("input, textarea, select")?.focus();
    }
  }, []);
  // Closed while it is still in the document: one that was taken out of it gives no focus back.
  useLayoutEffect(() => {
    const dialog = ref.current;
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-label={title}
      // Escape: `close` comes later, maybe after the next key, which may have opened another dialog by then.
      onCancel={onClose}
      onClose={onClose}
      className={`max-h-[85vh] w-[calc(100vw-2rem)] overflow-hidden rounded-md border border-line bg-surface p-0 shadow-xl ${wide ? "max-w-3xl" : "max-w-lg"}`}
    >
      <div className="flex max-h-[85vh] flex-col">
        <header className="flex items-center justify-between gap-2 border-line border-b py-2 pr-2 pl-4">
          <h2>{title}</h2>
          <Button look="bare" size="small" onClick={onClose} aria-label="Close">
            ✕
          </Button>
        </header>
        <div className="min-h-0 overflow-y-auto p-4">{children}</div>
      </div>
    </dialog>
  );
}
