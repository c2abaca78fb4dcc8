/** Who did what: one line of JSON for each call. Never a body, a query or a secret. */
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { keepPrivateSync } from "@uncaged/workflow-util";
import type { AuditRow } from "../contract/shapes.ts";

export type Audit = {
  note(row: AuditRow): void;
  /** The latest ones of this process, newest first. */
  latest(): AuditRow[];
  flush(): void;
};

const KEPT = 500;
const MOST_BYTES = 16 * 1024 * 1024;
const WRITE_AFTER_MS = 200;

/** `file` null: nothing is written. A full file becomes `<file>.1`, in place of an older one. */
export function openAudit(file: string | null): Audit {
  const rows: AuditRow[] = [];
  let pending: string[] = [];
  let timer: NodeJS.Timeout | null = null;
  if (file !== null) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const flush = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    const lines = pending.join("");
    pending = [];
    if (file === null || lines === "") return;
    try {
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES)
        renameSync(file, `${file}.1`);
      keepPrivateSync(file);
      appendFileSync(file, lines, { mode: 0o600 });
    } catch {
      // A full disk stops neither the calls nor the engines.
    }
  };
  return {
    note(row) {
      rows.push(row);
      if (rows.length > KEPT) rows.shift();
      pending.push(`${JSON.stringify(row)}\n`);
      timer ??= setTimeout(flush, WRITE_AFTER_MS).unref();
    },
    latest: () => rows.toReversed(),
    flush,
  };
}
