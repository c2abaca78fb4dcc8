/** Ways to break the product, to see whether the simulation notices: a text of a compiled module, or of two,
 *  replaced while it is loaded. */
import { existsSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

export const BREAKS = {
  "head before blobs": [
    {
      file: "/packages/cas/dist/root/blobs-in-places.js",
      from: "const signals = await writeRows(table, { blobs: rows, move });",
      to: "const signals = await writeRows(table, { blobs: [], move });\n        await writeRows(table, { blobs: rows, move: null });",
    },
  ],
  "rows that go before their files are there": [
    {
      file: "/packages/cas/dist/root/write-out.js",
      from: "        await writeFiles(blobs);\n",
      to: "        const early = blobs.map(({ hash }) => hash);\n        await places.table.purge(early, await places.table.quarantine(early, Date.now()));\n        await writeFiles(blobs);\n",
    },
  ],
  "rows that nobody takes along": [
    {
      file: "/packages/execute/dist/lease/with-lease.js",
      from: "await engine.cas.recover(thread.head);",
      to: "",
    },
  ],
  "blobs that are not flushed": [
    {
      file: "/packages/cas/dist/files/write-blobs.js",
      from: "await flushTogether(temps);",
      to: "",
    },
  ],
  "names that are not flushed": [
    {
      file: "/packages/cas/dist/files/write-blobs.js",
      from: "        await syncFolder(folder);",
      to: "",
    },
  ],
  "history that is not flushed": [
    {
      file: "/packages/store/dist/history/history.js",
      from: "fsyncSync(fd);",
      to: "",
    },
  ],
  "owners whose fence is not looked at": [
    {
      file: "/packages/store/dist/operations/lease-columns.js",
      from: "AND fence = :fence AND status = 'running'",
      to: "AND fence >= 0 * :fence",
    },
    {
      file: "/packages/store/dist/threads/refusals.js",
      from: 'thread?.status === "running" && thread.lease.fence === owner.fence',
      to: "thread !== null",
    },
  ],
};

/** Throws when the product no longer has one of those files, or one of those texts. */
export function breakOnLoad(edits) {
  for (const { file } of edits)
    if (!existsSync(new URL(`../..${file}`, import.meta.url)))
      throw new Error(`there is no ${file}`);
  registerHooks({
    load(url, context, next) {
      const here = edits.filter(({ file }) => url.endsWith(file));
      if (here.length === 0) return next(url, context);
      let source = readFileSync(fileURLToPath(url), "utf8");
      for (const { file, from, to } of here) {
        if (!source.includes(from)) throw new Error(`${file} has no ${JSON.stringify(from)}`);
        source = source.replace(from, to);
      }
      return { format: "module", source, shortCircuit: true };
    },
  });
}
