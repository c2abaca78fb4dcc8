import type { HookTargets } from "./external-hooks.ts";

/** Passes the hooks' targets to a process that starts with the preload file. */
export const EXTERNAL_HOOKS_ENV = "UNCAGED_EXTERNAL_HOOKS";

export function hookTargetsText(targets: HookTargets): string {
  return JSON.stringify(targets);
}

/** null when the text is not ours: a stray variable must not stop a process from starting. */
export function parseHookTargets(text: string): HookTargets | null {
  try {
    return hookTargetsIn(JSON.parse(text));
  } catch {
    return null;
  }
}

/** null when the value holds none. */
export function hookTargetsIn(value: unknown): HookTargets | null {
  const { bundles, bases }: { bundles?: unknown; bases?: unknown } = Object(value);
  const { root, packagesBase }: { root?: unknown; packagesBase?: unknown } = Object(bases);
  if (typeof bundles !== "string" || typeof root !== "string") return null;
  return typeof packagesBase === "string" ? { bundles, bases: { root, packagesBase } } : null;
}
