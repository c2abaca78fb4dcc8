/** The bytes of blobs behind the engine's back: files, or rows of the index. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** `read(hash)` returns the bytes. `write(hash, what)` puts other ones there; null: nothing, "folder": a folder. */
export function blobShelf({ root, store }) {
  return store === "files" ? fileShelf(join(root, "cas")) : rowShelf(join(root, "index.db"));
}

function fileShelf(folder) {
  const path = (hash) => join(folder, `${hash}.txt`);
  return {
    read: (hash) => readFileSync(path(hash)),
    write: (hash, what) => {
      rmSync(path(hash), { recursive: true, force: true });
      if (what === "folder") mkdirSync(path(hash));
      else if (what !== null) writeFileSync(path(hash), what);
    },
  };
}

function rowShelf(file) {
  const query = (use) => {
    const index = new DatabaseSync(file, { timeout: 5_000 });
    try {
      return use(index);
    } finally {
      index.close();
    }
  };
  return {
    read: (hash) =>
      query((index) => {
        const { bytes } = index.prepare("SELECT bytes FROM blobs WHERE name = ?").get(nameOf(hash));
        return Buffer.from(bytes);
      }),
    write: (hash, what) =>
      query((index) => {
        index.prepare("DELETE FROM blobs WHERE name = ?").run(nameOf(hash));
        if (what === null) return;
        index.prepare("INSERT INTO blobs (name, bytes) VALUES (?, ?)").run(nameOf(hash), what);
      }),
  };
}

/** A hash as SQLite's signed number. */
function nameOf(hash) {
  let value = 0n;
  for (const digit of hash) value = value * 32n + BigInt(ALPHABET.indexOf(digit));
  return BigInt.asIntN(64, value);
}
