import type { ModelReference } from "./registry.ts";

/** `provider/model`: the provider is the part before the first slash. null when either is empty. */
export function modelReference(text: string): ModelReference | null {
  const slash = text.indexOf("/");
  const provider = text.slice(0, Math.max(0, slash));
  const model = text.slice(slash + 1);
  return provider === "" || model === "" ? null : { provider, model };
}
