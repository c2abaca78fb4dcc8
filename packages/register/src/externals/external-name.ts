/** Packages of this scope are the contract between bundles and the engine and are never bundled. */
export const EXTERNAL_SCOPE = "@uncaged/";

/** `@uncaged/x/sub` → `@uncaged/x` */
export function packageName(specifier: string): string {
  return specifier.split("/", 2).join("/");
}
