/** A disk in memory, as a power cut leaves real ones.
 *
 *  1. What is written to a file is durable once that file was flushed; a name (a link, a rename, a removal)
 *     once its folder was. Until then a cut keeps any part of it: each name by itself, of a file's bytes a
 *     beginning, the rest lost or zero.
 *  2. A rename is one change: after a cut it has happened or not.
 *  3. The cut comes at a given operation. From then on every operation throws, so that nothing that is still
 *     under way can do anything more, and cleaning up does not work either.
 *  4. Choices after a cut come from the seed alone. */
import { basename, dirname } from "node:path";

export class PowerCut extends Error {
  constructor(operation) {
    super(`the power was cut at ${operation}`);
    this.name = "PowerCut";
  }
}

export class LossyDisk {
  /** Path of a folder → { names: name → node, pending: changes that are not durable, durable: name → node }. */
  #folders = new Map();
  #cutAt = Number.POSITIVE_INFINITY;
  #off = false;
  #operations = 0;
  #clockMs;
  #roots;

  /** `roots`: folders that are there, and stay. */
  constructor(roots, clockMs) {
    this.#clockMs = clockMs;
    this.#roots = new Set(roots);
    for (const root of roots) this.#folders.set(root, freshFolder());
  }

  get isOff() {
    return this.#off;
  }

  get operations() {
    return this.#operations;
  }

  /** The power is cut at so manieth operation from now. */
  cutAfter(operations) {
    this.#cutAt = this.#operations + operations;
  }

  /** Counts an operation of anybody who shares the power. Throws `PowerCut`. */
  operate(name) {
    this.#operations += 1;
    if (this.#operations >= this.#cutAt) this.#off = true;
    if (this.#off) throw new PowerCut(name);
  }

  /** The disk after the cut: durable, and of the rest what `random` leaves. */
  restart(random) {
    this.#off = false;
    this.#cutAt = Number.POSITIVE_INFINITY;
    for (const folder of this.#folders.values()) {
      for (const change of folder.pending) {
        if (change.done === undefined) change.done = random.chance(0.5);
        if (change.done) change.apply();
      }
      folder.pending = [];
    }
    for (const folder of this.#folders.values()) {
      folder.names = new Map(folder.durable);
      for (const node of folder.names.values()) if (node.bytes !== undefined) settle(node, random);
    }
    this.#dropUnreachable();
  }

  /** A folder whose own name was lost is gone with what is in it. */
  #dropUnreachable() {
    for (const path of [...this.#folders.keys()].sort()) {
      const parent = this.#folders.get(dirname(path));
      const isRoot = parent === undefined && !this.#folders.has(dirname(path));
      if (isRoot && !this.#roots.has(path)) this.#folders.delete(path);
      else if (parent !== undefined && parent.names.get(basename(path))?.folder !== path) {
        this.#folders.delete(path);
      }
    }
  }

  // The names are those of node:fs, and so are the errors.

  existsSync(path) {
    return this.#folders.has(path) || this.#find(path) !== undefined;
  }

  mkdirSync(path, { recursive = false } = {}) {
    this.operate(`mkdir ${path}`);
    if (this.#folders.has(path)) {
      if (recursive) return undefined;
      throw errno("EEXIST", path);
    }
    let first = path;
    if (!this.#folders.has(dirname(path))) {
      if (!recursive) throw errno("ENOENT", path);
      first = this.mkdirSync(dirname(path), { recursive }) ?? path;
    }
    this.#folders.set(path, freshFolder());
    this.#change(dirname(path), (names) => names.set(basename(path), { folder: path }));
    return first;
  }

  rmdirSync(path) {
    this.operate(`rmdir ${path}`);
    const folder = this.#folders.get(path);
    if (folder === undefined) throw errno("ENOENT", path);
    if (folder.names.size > 0) throw errno("ENOTEMPTY", path);
    this.#folders.delete(path);
    this.#change(dirname(path), (names) => names.delete(basename(path)));
  }

  readdirSync(path) {
    const folder = this.#folders.get(path);
    if (folder === undefined) throw errno("ENOENT", path);
    return [...folder.names.keys()];
  }

  readFileSync(path, encoding) {
    if (this.#folders.has(path)) throw errno("EISDIR", path);
    const node = this.#find(path);
    if (node === undefined) throw errno("ENOENT", path);
    const bytes = Buffer.from(node.bytes);
    return encoding === undefined ? bytes : bytes.toString("utf8");
  }

  statSync(path, { throwIfNoEntry = true } = {}) {
    const node = this.#folders.get(path) ?? this.#find(path);
    if (node !== undefined) return { mtimeMs: node.changedMs ?? 0, size: node.bytes?.length ?? 0 };
    if (throwIfNoEntry) throw errno("ENOENT", path);
    return undefined;
  }

  linkSync(from, to) {
    this.operate(`link ${to}`);
    const node = this.#find(from);
    if (node === undefined) throw errno("ENOENT", from);
    if (this.#find(to) !== undefined) throw errno("EEXIST", to);
    this.#change(dirname(to), (names) => names.set(basename(to), node));
  }

  renameSync(from, to) {
    this.operate(`rename ${from}`);
    const node = this.#find(from);
    if (node === undefined) throw errno("ENOENT", from);
    const change = this.#change(dirname(from), (names) => names.delete(basename(from)));
    // One change in two folders: durable with the first of them that is flushed.
    this.#change(dirname(to), (names) => names.set(basename(to), node), change);
  }

  unlinkSync(path) {
    this.operate(`unlink ${path}`);
    if (this.#find(path) === undefined) throw errno("ENOENT", path);
    this.#change(dirname(path), (names) => names.delete(basename(path)));
  }

  rmSync(path, { force = false } = {}) {
    if (this.#find(path) !== undefined) this.unlinkSync(path);
    else if (!force) throw errno("ENOENT", path);
  }

  /** A handle: { node, path, append }, or { folder }. */
  open(path, { create, exclusive, append }) {
    this.operate(`open ${path}`);
    const folder = this.#folders.get(path);
    if (folder !== undefined) return { folder };
    let node = this.#find(path);
    if (node !== undefined && exclusive) throw errno("EEXIST", path);
    if (node === undefined) {
      if (!create || !this.#folders.has(dirname(path))) throw errno("ENOENT", path);
      node = { bytes: Buffer.alloc(0), flushed: Buffer.alloc(0), changedMs: this.#clockMs() };
      const made = node;
      this.#change(dirname(path), (names) => names.set(basename(path), made));
    }
    return { node, path, append };
  }

  /** What follows what was read of this handle before; how many bytes. */
  read(handle, buffer, offset, length) {
    if (handle.node === undefined) throw errno("EISDIR", "a folder");
    const from = handle.readUntil ?? 0;
    const count = handle.node.bytes.copy(buffer, offset, from, from + length);
    handle.readUntil = from + count;
    return count;
  }

  write({ node, path, append }, bytes, offset = 0) {
    this.operate(`write ${path}`);
    const written = Buffer.from(bytes.subarray(offset));
    node.bytes = append
      ? Buffer.concat([node.bytes, written])
      : Buffer.concat([node.bytes, written]);
    node.changedMs = this.#clockMs();
    return written.length;
  }

  flush({ node, folder, path }) {
    this.operate(`flush ${path ?? "a folder"}`);
    if (node !== undefined) {
      node.flushed = node.bytes;
      return;
    }
    for (const change of folder.pending) {
      if (change.done === false) continue;
      change.done = true;
      change.apply();
    }
    folder.pending = [];
  }

  #find(path) {
    const node = this.#folders.get(dirname(path))?.names.get(basename(path));
    return node?.bytes === undefined ? undefined : node;
  }

  /** Seen at once, durable later. `with`: a change that happens together with this one. */
  #change(path, alter, together) {
    const folder = this.#folders.get(path);
    if (folder === undefined) throw errno("ENOENT", path);
    alter(folder.names);
    folder.changedMs = this.#clockMs();
    const change = { done: undefined, parts: [() => alter(folder.durable)] };
    change.apply = () => {
      for (const part of change.parts) part();
      change.parts = [];
    };
    if (together === undefined) {
      folder.pending.push(change);
      return change;
    }
    together.parts.push(...change.parts);
    folder.pending.push(together);
    return together;
  }
}

function freshFolder() {
  return { names: new Map(), durable: new Map(), pending: [], changedMs: 0 };
}

/** Of the bytes that were not flushed a beginning is left, and sometimes zeros in place of the rest. */
function settle(node, random) {
  if (node.bytes === node.flushed) return;
  const from = node.flushed.length;
  const kept = from + random.below(node.bytes.length - from + 1);
  const rest = random.chance(0.3) ? Buffer.alloc(node.bytes.length - kept) : Buffer.alloc(0);
  node.bytes = Buffer.concat([node.bytes.subarray(0, kept), rest]);
  node.flushed = node.bytes;
}

function errno(code, path) {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
