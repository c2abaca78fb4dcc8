/** Ways to break the product, to see whether the simulation notices: one text of one compiled module, replaced
 *  while it is loaded. */
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

export const BREAKS = {
  "head before blobs": {
    file: "/packages/execute/dist/publish.js",
    from: "await ports.cas.putBatch(nodes);\n        return ports.store.advance(move);",
    to: "const signals = await ports.store.advance(move);\n        await ports.cas.putBatch(nodes);\n        return signals;",
  },
  "blobs that are not flushed": {
    file: "/packages/cas/dist/files/write-blobs.js",
    from: "await flushTogether(temps);",
    to: "",
  },
  "names that are not flushed": {
    file: "/packages/cas/dist/files/write-blobs.js",
    from: "        await syncFolder(folder);",
    to: "",
  },
  "history that is not waited for": {
    file: "/packages/execute/dist/finish-thread.js",
    from: "await appendHistory(",
    to: "void appendHistory(",
  },
  "owners whose fence is not looked at": {
    file: "/packages/store/dist/refusals.js",
    from: "thread?.lease?.fence === tenure.fence",
    to: "thread !== null",
  },
};

/** Throws when the product no longer has that text. */
export function breakOnLoad(name) {
  const { file, from, to } = BREAKS[name];
  registerHooks({
    load(url, context, next) {
      if (!url.endsWith(file)) return next(url, context);
      const source = readFileSync(fileURLToPath(url), "utf8");
      if (!source.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}`);
      return { format: "module", source: source.replace(from, to), shortCircuit: true };
    },
  });
}
