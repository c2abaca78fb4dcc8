import { Field, Input } from "../ui/field.tsx";
import type { TypedLimits } from "./limits.ts";

const FIELDS: readonly { name: keyof TypedLimits; label: string }[] = [
  { name: "steps", label: "Steps" },
  { name: "tokens", label: "Tokens" },
  { name: "costUsd", label: "US dollars" },
  { name: "minutes", label: "Minutes of work" },
];

export function LimitFields({
  typed,
  faults,
  onChange,
}: {
  typed: TypedLimits;
  faults: { readonly [name in keyof TypedLimits]?: string };
  onChange: (typed: TypedLimits) => void;
}) {
  return (
    <div className="grid grid-cols-2 gap-x-3 sm:grid-cols-4">
      {FIELDS.map(({ name, label }) => (
        <Field key={name} label={label} fault={faults[name]}>
          {(props) => (
            <Input
              {...props}
              inputMode="decimal"
              value={typed[name]}
              onChange={(event) => onChange({ ...typed, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
