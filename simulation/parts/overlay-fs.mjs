/** Stands in for `node:fs` and `node:fs/promises` in the modules of ours that keep what must not be lost: what
 *  is below the simulated folders goes to the lossy disk, all else to the real one. */
import * as realFs from "node:fs";
import * as realPromises from "node:fs/promises";

/** Handles of simulated files; real ones are small. */
const FIRST_HANDLE = 1_000_000;
const handles = new Map();
let nextHandle = FIRST_HANDLE;

/** Set by the simulation: { disk, covers(path) }. */
export const overlay = { current: null };

function diskFor(path) {
  const { current } = overlay;
  return current?.covers(path) ? current.disk : null;
}

function byPath(name, real) {
  return (path, ...rest) => {
    const disk = diskFor(path);
    return disk === null ? real(path, ...rest) : disk[name](path, ...rest);
  };
}

export const constants = realFs.constants;
export const existsSync = byPath("existsSync", realFs.existsSync);
export const mkdirSync = byPath("mkdirSync", realFs.mkdirSync);
export const rmdirSync = byPath("rmdirSync", realFs.rmdirSync);
export const readdirSync = byPath("readdirSync", realFs.readdirSync);
export const readFileSync = byPath("readFileSync", realFs.readFileSync);
export const statSync = byPath("statSync", realFs.statSync);
export const linkSync = byPath("linkSync", realFs.linkSync);
export const renameSync = byPath("renameSync", realFs.renameSync);
export const unlinkSync = byPath("unlinkSync", realFs.unlinkSync);
export const rmSync = byPath("rmSync", realFs.rmSync);
export const realpathSync = (path) => (diskFor(path) === null ? realFs.realpathSync(path) : path);
export const chmodSync = realFs.chmodSync;
export const copyFileSync = realFs.copyFileSync;
export const mkdtempSync = realFs.mkdtempSync;
export const readlinkSync = realFs.readlinkSync;
export const appendFileSync = realFs.appendFileSync;
export const writeFileSync = realFs.writeFileSync;
export const access = realPromises.access;
export const stat = realPromises.stat;

export function openSync(path, flags, mode) {
  const disk = diskFor(path);
  if (disk === null) return realFs.openSync(path, flags, mode);
  const handle = nextHandle++;
  handles.set(handle, { disk, file: disk.open(path, wanted(flags)) });
  return handle;
}

function wanted(flags) {
  if (typeof flags === "string") {
    return {
      create: /[wa]/.test(flags),
      exclusive: flags.includes("x"),
      append: flags.startsWith("a"),
    };
  }
  const { O_CREAT, O_EXCL, O_APPEND } = realFs.constants;
  return {
    create: (flags & O_CREAT) !== 0,
    exclusive: (flags & O_EXCL) !== 0,
    append: (flags & O_APPEND) !== 0,
  };
}

export function closeSync(handle) {
  if (handle < FIRST_HANDLE) realFs.closeSync(handle);
  else handles.delete(handle);
}

export function writeSync(handle, bytes, offset) {
  if (handle < FIRST_HANDLE) return realFs.writeSync(handle, bytes, offset);
  const { disk, file } = handles.get(handle);
  return disk.write(file, bytes, offset);
}

export function readSync(handle, buffer, offset, length, position) {
  if (handle < FIRST_HANDLE) return realFs.readSync(handle, buffer, offset, length, position);
  const { disk, file } = handles.get(handle);
  if (typeof position !== "number") return disk.read(file, buffer, offset, length);
  return file.node.bytes.copy(buffer, offset, position, position + length);
}

export function fstatSync(handle) {
  if (handle < FIRST_HANDLE) return realFs.fstatSync(handle);
  return statsOf(handles.get(handle).file);
}

/** Folders are opened to be flushed, and for nothing else. */
function statsOf({ node }) {
  return { size: node.bytes.length, mode: 0o600, isFile: () => true, isDirectory: () => false };
}

export function fsyncSync(handle) {
  if (handle < FIRST_HANDLE) return realFs.fsyncSync(handle);
  const { disk, file } = handles.get(handle);
  return disk.flush(file);
}

/** Done a turn later, as a real flush is: whoever does not wait for it goes on before. */
export function fsync(handle, done) {
  if (handle < FIRST_HANDLE) {
    realFs.fsync(handle, done);
    return;
  }
  setImmediate(() => {
    try {
      fsyncSync(handle);
      done(null);
    } catch (thrown) {
      done(thrown);
    }
  });
}

export async function open(path, flags, mode) {
  if (diskFor(path) === null) return realPromises.open(path, flags, mode);
  const handle = openSync(path, flags, mode);
  const { disk, file } = handles.get(handle);
  return {
    stat: async () => statsOf(file),
    read: async (buffer, offset = 0, length = buffer.length - offset, position = null) => {
      if (position === null) return { bytesRead: disk.read(file, buffer, offset, length), buffer };
      const bytesRead = file.node.bytes.copy(buffer, offset, position, position + length);
      return { bytesRead, buffer };
    },
    write: async (bytes, offset = 0) => ({ bytesWritten: disk.write(file, bytes, offset) }),
    sync: () =>
      new Promise((resolve, reject) => {
        fsync(handle, (thrown) => (thrown ? reject(thrown) : resolve()));
      }),
    close: async () => closeSync(handle),
  };
}

export async function rm(path, options) {
  return diskFor(path) === null ? realPromises.rm(path, options) : rmSync(path, options);
}

export async function readdir(path, options) {
  return diskFor(path) === null ? realPromises.readdir(path, options) : readdirSync(path);
}

export async function readFile(path, encoding) {
  return diskFor(path) === null
    ? realPromises.readFile(path, encoding)
    : readFileSync(path, encoding);
}
