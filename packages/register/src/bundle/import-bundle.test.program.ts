/** Test process: `import-bundle.test.program.js <root> <swap>` opens a bundle, swaps its file, imports it, and
 *  prints its output. A test runner that loads modules itself would bypass the hooks. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashBytes, sha256Hex } from "@uncaged/workflow-cas";
import { failureFrom } from "@uncaged/workflow-protocol";
import { importBundle } from "./import-bundle.ts";
import type { OpenedBundle } from "./open-bundle.ts";

const GOOD = `export const run = () => ({ said: "checked", url: import.meta.url, stack: new Error("x").stack });\n`;
const EVIL = `export const run = () => ({ said: "swapped" });\n`;

const [, , root = "", swap = ""] = process.argv;
const bundle = opened();
swapFile(bundle.file);
const { run } = await importBundle(bundle);
if (typeof run !== "function") throw new Error("it exports no run");
const again = await importBundle(bundle);
const collision = { ...bundle, bytes: Buffer.from(EVIL), sha256: sha256Hex(EVIL) };
const refused = await importBundle(collision).then(
  () => "nothing",
  (thrown: unknown) => failureFrom(thrown, "INTERNAL").code,
);
console.log(JSON.stringify({ ...run(), same: again.run === run, refused }));

/** As `openBundle` returns it; its file exists, too. */
function opened(): OpenedBundle {
  const bytes = Buffer.from(GOOD);
  const hash = hashBytes(bytes);
  const file = join(root, "bundles", hash, "bundle.esm.js");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  const descriptor = { description: "", roles: {}, graph: { edges: [] } };
  return {
    ...{ file, bytes, hash, sha256: sha256Hex(bytes), descriptor },
    ...{ externals: [], descriptorSha256: "", rolldown: null },
  };
}

function swapFile(file: string): void {
  const other = join(root, "other");
  mkdirSync(other);
  const evil = join(other, "bundle.esm.js");
  writeFileSync(evil, EVIL);
  switch (swap) {
    case "other bytes":
      writeFileSync(file, EVIL);
      return;
    case "a link to other bytes":
      rmSync(file);
      symlinkSync(evil, file);
      return;
    case "a folder of other bytes":
      rmSync(dirname(file), { recursive: true });
      symlinkSync(other, dirname(file));
      return;
    default:
      rmSync(file);
  }
}
