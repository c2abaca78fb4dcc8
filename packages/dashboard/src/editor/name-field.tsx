import { Field, Input } from "../ui/field.tsx";

/** The name of a workflow that is to be. */
export function NameField({
  name,
  hint,
  fault,
  onName,
}: {
  name: string;
  hint: string;
  /** As `nameFault` returns it. */
  fault: string | null;
  onName: (name: string) => void;
}) {
  return (
    <Field label="Name" hint={hint} fault={fault ?? undefined}>
      {(props) => (
        <Input {...props} value={name} autoFocus onChange={(event) => onName(event.target.value)} />
      )}
    </Field>
  );
}
