import type { HookTargets } from "./external-hooks.ts";

/** Carries the hooks' targets into a process that starts with the preload file. */
export const EXTERNAL_HOOKS_ENV = "UNCAGED_EXTERNAL_HOOKS";

export function hookTargetsText(targets: HookTargets): string {
  return JSON.stringify(targets);
}

/** null when the text is not ours: a stray variable must not stop a process from starting. */
export function parseHookTargets(text: string): HookTargets | null {
  try {
    const { bundles, lookups }: { bundles?: unknown; lookups?: unknown } = Object(JSON.parse(text));
    if (typeof bundles !== "string" || !Array.isArray(lookups)) return null;
    const parsed: HookTargets["lookups"][number][] = [];
    for (const lookup of lookups) {
      const { from, only }: { from?: unknown; only?: unknown } = Object(lookup);
      if (typeof from !== "string" || !(only === null || typeof only === "string")) return null;
      parsed.push({ from, only });
    }
    return { bundles, lookups: parsed };
  } catch {
    return null;
  }
}
