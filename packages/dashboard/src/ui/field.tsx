import type { ComponentProps, ReactNode } from "react";
import { useId } from "react";

const BOX =
  "w-full rounded-sm border border-line-strong bg-surface px-2 py-1 text-sm text-ink aria-invalid:border-bad";

/** A control with its name above it, what it is for and what is wrong with it below. */
export function Field({
  label,
  hint,
  fault,
  children,
}: {
  label: string;
  hint?: ReactNode;
  fault?: string | undefined;
  children: (props: {
    id: string;
    "aria-describedby": string;
    "aria-invalid": boolean;
  }) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="mb-3">
      <label htmlFor={id} className="mb-1 block font-medium">
        {label}
      </label>
      {children({ id, "aria-describedby": `${id}-more`, "aria-invalid": fault !== undefined })}
      <div id={`${id}-more`}>
        {fault !== undefined && <p className="mt-1 text-bad text-xs">✕ {fault}</p>}
        {hint !== undefined && <p className="hint mt-1">{hint}</p>}
      </div>
    </div>
  );
}

export function Input({ className, ...props }: ComponentProps<"input">) {
  return <input {...props} className={`${BOX} h-7 ${className ?? ""}`} />;
}

export function TextArea({ className, ...props }: ComponentProps<"textarea">) {
  return <textarea {...props} className={`${BOX} min-h-20 ${className ?? ""}`} />;
}

export function Select({ className, ...props }: ComponentProps<"select">) {
  return <select {...props} className={`${BOX} h-7 ${className ?? ""}`} />;
}

/** A box to tick, with its words. */
export function Check({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <label className="mb-2 flex items-start gap-2">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-4 accent-accent"
      />
      <span>{children}</span>
    </label>
  );
}
