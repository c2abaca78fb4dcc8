import type { HookTargets } from "./external-hooks.ts";

/** Carries the hooks' targets into a process that starts with the preload file. */
export const EXTERNAL_HOOKS_ENV = "UNCAGED_EXTERNAL_HOOKS";

export function hookTargetsText(targets: HookTargets): string {
  return JSON.stringify(targets);
}

/** null when the text is not ours: a stray variable must not stop a process from starting. */
export function parseHookTargets(text: string): HookTargets | null {
  try {
    const { bundles, bases }: { bundles?: unknown; bases?: unknown } = Object(JSON.parse(text));
    const { root, packagesBase }: { root?: unknown; packagesBase?: unknown } = Object(bases);
    if (typeof bundles !== "string" || typeof root !== "string") return null;
    return typeof packagesBase === "string" ? { bundles, bases: { root, packagesBase } } : null;
  } catch {
    return null;
  }
}
