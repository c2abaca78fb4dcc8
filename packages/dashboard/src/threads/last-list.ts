/** The list that somebody came from, so that a thread's page knows its neighbours. Kept as long as the tab. */
let last: { client: string; ids: readonly string[]; search: string } | null = null;

export function rememberList(client: string, ids: readonly string[], search: string): void {
  last = { client, ids, search };
}

export function listSearch(client: string): string {
  return last?.client === client && last.search !== "" ? `?${last.search}` : "";
}

/** The thread before or behind this one in that list; null: there is none. */
export function neighbour(client: string, id: string, by: 1 | -1): string | null {
  if (last === null || last.client !== client) return null;
  const at = last.ids.indexOf(id);
  return at < 0 ? null : (last.ids[at + by] ?? null);
}
