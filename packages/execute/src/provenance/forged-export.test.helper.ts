import { sha256Hex } from "@uncaged/workflow-cas";
import { openTar } from "../archive/tar-reader.ts";
import { writeTar } from "../archive/tar-writer.ts";
import { INDEX_ENTRY, SUMS_ENTRY, sumLine } from "./export-layout.ts";
import { invalidExport } from "./invalid-export.ts";

/** Changes the entries of an export (name to content, without the checksums). */
export type Forgery = (entries: Map<string, string>) => void;

/** Writes a forged export by somebody who knows the format: every entry in its place, with valid checksums. */
export async function forgeExport(from: string, to: string, forgery: Forgery): Promise<void> {
  const entries = await entriesOf(from);
  forgery(entries);
  const names = [...entries.keys()].filter((name) => name !== INDEX_ENTRY).sort();
  const written = await writeTar(to, async (add) => {
    let sums = "";
    for (const name of [INDEX_ENTRY, ...names]) {
      const content = Buffer.from(entries.get(name) ?? "");
      sums += sumLine(name, sha256Hex(content));
      await add(name, content);
    }
    await add(SUMS_ENTRY, Buffer.from(sums));
  });
  if (!written.ok) throw new Error(written.error.message);
}

async function entriesOf(path: string): Promise<Map<string, string>> {
  const tar = await openTar(path, invalidExport);
  if (!tar.ok) throw new Error(tar.error.message);
  const entries = new Map<string, string>();
  for await (const entry of tar.value.entries(() => Number.POSITIVE_INFINITY)) {
    if (!entry.ok) throw new Error(entry.error.message);
    entries.set(entry.value.name, entry.value.content.toString("utf8"));
  }
  entries.delete(SUMS_ENTRY);
  await tar.value.close();
  return entries;
}
