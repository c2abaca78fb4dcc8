/** The flushes that a durable step cannot do without, and nothing else. `once`, where its blobs are files before
 *  the next step begins: two blobs written, flushed side by side, named; their folder flushed; one row of the
 *  index changed in one durable transaction. `commit`, where they are files later: that transaction alone, with
 *  the bytes of both blobs in it. */
import { closeSync, fsync, linkSync, mkdirSync, openSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";

const flush = promisify(fsync);

/** `sizes`: bytes of the two blobs. Returns the step, to be called as often as wanted, and the end. */
export function openBareStep(folder, sizes) {
  const blobs = join(folder, "blobs");
  mkdirSync(blobs, { recursive: true });
  const bytes = sizes.map((size) => Buffer.alloc(size, "x"));
  const head = openHead(join(folder, "bare.db"));
  let made = 0;
  return {
    async once() {
      made += 1;
      await writeTogether(blobs, made, bytes);
      head.move(made);
    },
    commit() {
      made += 1;
      head.move(made, bytes);
    },
    close: head.close,
  };
}

async function writeTogether(folder, step, blobs) {
  const paths = blobs.map((_, at) => join(folder, `${step}-${at}`));
  const fds = paths.map((path) => openSync(`${path}.tmp`, "wx"));
  for (const [at, fd] of fds.entries()) writeSync(fd, blobs[at]);
  await Promise.all(fds.map((fd) => flush(fd)));
  for (const path of paths) linkSync(`${path}.tmp`, path);
  for (const fd of fds) closeSync(fd);
  for (const path of paths) unlinkSync(`${path}.tmp`);
  const folderFd = openSync(folder, "r");
  await flush(folderFd);
  closeSync(folderFd);
}

function openHead(file) {
  const db = new DatabaseSync(file);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  db.exec("CREATE TABLE heads (id INTEGER PRIMARY KEY, head TEXT)");
  db.exec("INSERT INTO heads VALUES (1, '')");
  db.exec("CREATE TABLE blobs (id INTEGER PRIMARY KEY, bytes BLOB)");
  const [begin, insert, update, commit] = [
    "BEGIN IMMEDIATE",
    "INSERT INTO blobs (bytes) VALUES (?)",
    "UPDATE heads SET head = ? WHERE id = 1",
    "COMMIT",
  ].map((sql) => db.prepare(sql));
  return {
    move(step, blobs = []) {
      begin.run();
      for (const bytes of blobs) insert.run(bytes);
      update.run(String(step).padStart(13, "0"));
      commit.run();
    },
    close: () => db.close(),
  };
}
