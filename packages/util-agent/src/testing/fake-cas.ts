import { createHash } from "node:crypto";
import type { CasStore } from "@uncaged/workflow-protocol";

/** Content nodes in memory, in the same form as in the real store. */
export function fakeCas(): CasStore & {
  /** Texts by hash. */
  readonly texts: Map<string, string>;
} {
  const texts = new Map<string, string>();
  return {
    texts,
    async put(content) {
      const hash = createHash("sha256").update(content).digest("hex").slice(0, 13).toUpperCase();
      texts.set(hash, content);
      return hash;
    },
    async get(hash) {
      const text = texts.get(hash);
      return text === undefined
        ? null
        : `type: "content"\npayload: ${JSON.stringify(text)}\nrefs: []\n`;
    },
    delete: async () => {},
    list: async () => [...texts.keys()],
  };
}
