import { BoundedText } from "../text/bounded-text.tsx";
import { oneLine } from "../text/visible.ts";
import { CopyButton } from "../ui/copy.tsx";

/** The structured result, field by field. */
export function MetaTab({ meta }: { meta: { readonly [key: string]: unknown } }) {
  const entries = Object.entries(meta);
  return (
    <div>
      <div className="mb-2 flex justify-end">
        <CopyButton look="bare" label="Copy JSON" text={() => JSON.stringify(meta, null, 2)} />
      </div>
      {entries.length === 0 && <p className="hint">The result has no fields.</p>}
      <dl className="divide-y divide-line">
        {entries.slice(0, 200).map(([key, value]) => (
          <div
            key={key}
            className="grid grid-cols-[8rem_minmax(0,1fr)] gap-3 py-1.5 max-sm:grid-cols-1"
          >
            <dt className="truncate font-mono text-dim text-xs">{oneLine(key, 80)}</dt>
            <dd>
              <BoundedText text={textOf(value)} name={key} />
            </dd>
          </div>
        ))}
      </dl>
      {entries.length > 200 && <p className="hint">{entries.length - 200} more fields: see Raw.</p>}
    </div>
  );
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
