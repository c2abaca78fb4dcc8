import type { ThreadQuery } from "@uncaged/workflow-gateway/contract";
import { THREAD_STATUSES, type ThreadStatus } from "@uncaged/workflow-protocol";

/** What the list is narrowed to; it stands in the address, so that a link shows the same. */
export type Filters = {
  status: ThreadStatus | null;
  workflow: string;
  words: string;
  label: string;
  /** Only those that were made in the last so many hours; null: all. */
  hours: number | null;
};

export const NO_FILTERS: Filters = {
  status: null,
  workflow: "",
  words: "",
  label: "",
  hours: null,
};

export function filtersIn(search: string): Filters {
  const given = new URLSearchParams(search);
  const status = given.get("status");
  const hours = Number(given.get("hours"));
  return {
    status: THREAD_STATUSES.find((each) => each === status) ?? null,
    workflow: given.get("workflow") ?? "",
    words: given.get("q") ?? "",
    label: given.get("label") ?? "",
    hours: Number.isInteger(hours) && hours > 0 ? hours : null,
  };
}

/** The part of the address behind `?`; empty when nothing is narrowed. */
export function searchOf({ status, workflow, words, label, hours }: Filters): string {
  const given = new URLSearchParams();
  if (status !== null) given.set("status", status);
  if (workflow !== "") given.set("workflow", workflow);
  if (words !== "") given.set("q", words);
  if (label !== "") given.set("label", label);
  if (hours !== null) given.set("hours", String(hours));
  return given.toString();
}

export function queryOf(filters: Filters, nowMs: number): ThreadQuery {
  const { status, workflow, words, label, hours } = filters;
  return {
    ...(status === null ? {} : { status }),
    ...(workflow === "" ? {} : { workflow }),
    ...(words === "" ? {} : { q: words }),
    ...(label === "" ? {} : { label }),
    ...(hours === null ? {} : { since: String(nowMs - hours * 3_600_000) }),
  };
}

/** The command that lists the same. */
export function listCommand({ status, workflow, words, label, hours }: Filters): string {
  const quoted = (text: string) =>
    /^[\w.=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  return [
    "uwf thread list",
    ...(workflow === "" ? [] : [quoted(workflow)]),
    ...(status === null ? [] : [`--status ${status}`]),
    ...(words === "" ? [] : [`--text ${quoted(words)}`]),
    ...(label === "" ? [] : [`--label ${quoted(label)}`]),
    ...(hours === null ? [] : [`--since ${hours}h`]),
  ].join(" ");
}
