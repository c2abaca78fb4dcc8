import type { RefObject } from "react";
import { useKeys } from "./keys.ts";

const PAGE = 10;
const ROWS = "tbody tr, [data-row]";
const LEADS_ON = "a[href], button:not(:disabled)";

/** `j k Home End PgUp PgDn` in a view with rows: the focus goes to the first thing in a row that leads on, so Enter opens
 *  it. A row is a table's, or has `data-row`; a view without any leaves the keys to the browser. */
export function useRowKeys(view: RefObject<HTMLElement | null>): void {
  const go = (to: (at: number, last: number) => number) => () => {
    const rows = [...(view.current?.querySelectorAll(ROWS) ?? [])].flatMap((row) => {
      const first = [...row.querySelectorAll<HTMLElement>(LEADS_ON)].find((each) =>
        each.checkVisibility(),
      );
      return first === undefined ? [] : [{ row, first }];
    });
    const last = rows.length - 1;
    if (last < 0) return false;
    const at = rows.findIndex(({ row }) => row.contains(document.activeElement));
    return rows[Math.max(0, Math.min(last, to(at, last)))]?.first.focus();
  };
  useKeys({
    j: go((at) => at + 1),
    k: go((at) => at - 1),
    home: go(() => 0),
    end: go((_at, last) => last),
    pagedown: go((at) => Math.max(at, 0) + PAGE),
    pageup: go((at) => at - PAGE),
  });
}
