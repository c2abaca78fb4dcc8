import type { ThreadLabels } from "@uncaged/workflow-protocol";

/** Labels from the index: only texts are accepted, because another program may have written there. */
export function storedLabels(stored: string | null): ThreadLabels {
  if (stored === null) return {};
  const found: unknown = JSON.parse(stored);
  const entries = typeof found === "object" && found !== null ? Object.entries(found) : [];
  return Object.fromEntries(entries.filter((entry) => typeof entry[1] === "string"));
}
