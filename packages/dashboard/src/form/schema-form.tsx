import type { JsonValue } from "@uncaged/workflow-protocol";
import { useId } from "react";
import { visible } from "../text/visible.ts";
import { Field, Input, Select, TextArea } from "../ui/field.tsx";
import { type Entered, type EnteredValue, keyOf } from "./collect.ts";
import type { FormField } from "./fields.ts";

/** More choices than this are a list that opens. */
const RADIOS = 6;

/** Controls for the fields of a schema. What stands in them belongs to the caller. */
export function SchemaForm({
  fields,
  entered,
  faults,
  onChange,
  path = "",
}: {
  fields: readonly FormField[];
  entered: Entered;
  faults: { readonly [path: string]: string };
  onChange: (entered: Entered) => void;
  path?: string;
}) {
  return fields.map((field) => (
    <OneField
      key={field.name}
      field={field}
      path={path}
      given={entered[field.name]}
      faults={faults}
      onChange={(value) => onChange({ ...entered, [field.name]: value })}
    />
  ));
}

function OneField({
  field,
  path,
  given,
  faults,
  onChange,
}: {
  field: FormField;
  path: string;
  given: EnteredValue;
  faults: { readonly [path: string]: string };
  onChange: (value: EnteredValue) => void;
}) {
  const { control } = field;
  const label = `${visible(field.label)}${field.required ? "" : " (may be left out)"}`;
  const hint = field.hint === null ? undefined : visible(field.hint);
  const fault = faults[path + field.name];
  const words = typeof given === "string" ? given : "";
  switch (control.kind) {
    case "choice":
    case "yes-no": {
      const options =
        control.kind === "yes-no"
          ? [
              { key: "yes", word: "Yes" },
              { key: "no", word: "No" },
            ]
          : control.options.map((option) => ({ key: keyOf(option), word: wordOf(option) }));
      if (options.length <= RADIOS) {
        return <Radios {...{ label, hint, fault, options, chosen: words, onChange }} />;
      }
      return (
        <Field label={label} hint={hint} fault={fault}>
          {(props) => (
            <Select {...props} value={words} onChange={(event) => onChange(event.target.value)}>
              <option value="">Choose…</option>
              {options.map(({ key, word }) => (
                <option key={key} value={key}>
                  {word}
                </option>
              ))}
            </Select>
          )}
        </Field>
      );
    }
    case "several":
      return (
        <Checks
          {...{ label, hint, fault, options: control.options, onChange }}
          chosen={Array.isArray(given) ? given : []}
        />
      );
    case "fields":
      return (
        <fieldset className="mb-3 rounded-sm border border-line p-3">
          <legend className="px-1 font-medium">{label}</legend>
          {hint !== undefined && <p className="hint mb-2">{hint}</p>}
          <SchemaForm
            fields={control.fields}
            entered={typeof given === "object" && !Array.isArray(given) ? (given as Entered) : {}}
            faults={faults}
            onChange={onChange}
            path={`${path}${field.name}.`}
          />
        </fieldset>
      );
    case "number":
      return (
        <Field label={label} hint={hint} fault={fault}>
          {(props) => (
            <Input
              {...props}
              inputMode="decimal"
              value={words}
              onChange={(event) => onChange(event.target.value)}
            />
          )}
        </Field>
      );
    default: {
      const more =
        control.kind === "lines" ? "one a line" : control.kind === "json" ? "as JSON" : null;
      const long = control.kind !== "text" || control.long;
      return (
        <Field label={more === null ? label : `${label}, ${more}`} hint={hint} fault={fault}>
          {(props) =>
            long ? (
              <TextArea
                {...props}
                rows={3}
                className={control.kind === "json" ? "font-mono" : ""}
                value={words}
                onChange={(event) => onChange(event.target.value)}
              />
            ) : (
              <Input {...props} value={words} onChange={(event) => onChange(event.target.value)} />
            )
          }
        </Field>
      );
    }
  }
}

function Radios({
  label,
  hint,
  fault,
  options,
  chosen,
  onChange,
}: {
  label: string;
  hint: string | undefined;
  fault: string | undefined;
  options: readonly { key: string; word: string }[];
  chosen: string;
  onChange: (value: string) => void;
}) {
  const name = useId();
  return (
    <fieldset className="mb-3" aria-describedby={`${name}-more`}>
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex flex-wrap gap-1.5">
        {options.map(({ key, word }) => (
          <label
            key={key}
            className="inline-flex items-center gap-1.5 rounded-sm border border-line-strong bg-surface px-2 py-1 has-checked:border-accent has-checked:bg-tint"
          >
            <input
              type="radio"
              name={name}
              checked={chosen === key}
              onChange={() => onChange(key)}
              className="accent-accent"
            />
            {word}
          </label>
        ))}
      </div>
      <More id={`${name}-more`} hint={hint} fault={fault} />
    </fieldset>
  );
}

function Checks({
  label,
  hint,
  fault,
  options,
  chosen,
  onChange,
}: {
  label: string;
  hint: string | undefined;
  fault: string | undefined;
  options: readonly JsonValue[];
  chosen: readonly string[];
  onChange: (value: readonly string[]) => void;
}) {
  const id = useId();
  return (
    <fieldset className="mb-3" aria-describedby={id}>
      <legend className="mb-1 font-medium">{label}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {options.map((option) => {
          const key = keyOf(option);
          return (
            <label key={key} className="inline-flex items-center gap-1.5">
              <input
                type="checkbox"
                checked={chosen.includes(key)}
                onChange={(event) =>
                  onChange(
                    event.target.checked ? [...chosen, key] : chosen.filter((each) => each !== key),
                  )
                }
                className="accent-accent"
              />
              {wordOf(option)}
            </label>
          );
        })}
      </div>
      <More id={id} hint={hint} fault={fault} />
    </fieldset>
  );
}

function More({
  id,
  hint,
  fault,
}: {
  id: string;
  hint: string | undefined;
  fault: string | undefined;
}) {
  return (
    <div id={id}>
      {fault !== undefined && <p className="mt-1 text-bad text-xs">✕ {fault}</p>}
      {hint !== undefined && <p className="hint mt-1">{hint}</p>}
    </div>
  );
}

const wordOf = (option: JsonValue): string => visible(keyOf(option));
