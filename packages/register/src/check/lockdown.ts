/** Removes from a process what a bundle has no business with while it is imported: the network, other programs,
 *  other processes, files. Node's permission model denies most of it below this level; this adds what it leaves open
 *  (the network before Node 26, signals and priorities, trace files), and reports attempts at once, because the
 *  bundle could change anything kept in the process.
 *
 *  1. Built-in modules are changed in place, so `import`, `require` and `getBuiltinModule` are all affected.
 *  2. Classes stay usable: libraries extend them and create agents from them at import. Only what acts is removed.
 *  3. A seat belt against honest mistakes and simple malice, not a security boundary. */
import childProcess from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import inspector from "node:inspector";
import nodeModule, { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import os from "node:os";
import tls from "node:tls";
import traceEvents from "node:trace_events";
import v8 from "node:v8";

/** Returns, for a phrase such as `opens a socket (connect)`, the function that reports it. Called before the bundle
 *  runs; the returned function is called at the moment of the attempt, and must not rely on anything that a bundle
 *  can change. */
export type Witness = (attempt: string) => () => void;

export function lockDown(witness: Witness): void {
  for (const gate of gates()) close(gate, witness);
  for (const files of [fs, fs.promises]) guardOpening(files, witness);
  softenExists();
  syncBuiltinESMExports();
}

type Gate = { deed: string; on: object; names: readonly string[] };

const SOCKET = "opens a socket";
const PROGRAM = "starts a program";
const PROCESS = "reaches for another process";
const NATIVE = "reaches for Node's native parts";
const FILE = "writes a file";

function gates(): Gate[] {
  return [
    { deed: SOCKET, on: net, names: ["connect", "createConnection", "_createServerHandle"] },
    { deed: SOCKET, on: net.Socket.prototype, names: ["connect"] },
    { deed: SOCKET, on: net.Server.prototype, names: ["listen", "_listen2"] },
    { deed: SOCKET, on: tls, names: ["connect"] },
    // Creates its own raw handle when it is passed no socket.
    { deed: SOCKET, on: tls.TLSSocket.prototype, names: ["_wrapHandle"] },
    { deed: SOCKET, on: dgram, names: ["createSocket", "Socket", "_createSocketHandle"] },
    { deed: SOCKET, on: http, names: ["request", "get"] },
    { deed: SOCKET, on: https, names: ["request", "get"] },
    { deed: SOCKET, on: http2, names: ["connect"] },
    { deed: SOCKET, on: inspector, names: ["open"] },
    { deed: SOCKET, on: globalThis, names: ["fetch", "WebSocket", "EventSource"] },
    ...[dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype].map((on) => ({
      deed: "asks the domain name system",
      on,
      names: namesOf(on, /^(?:lookup|resolve|reverse)/),
    })),
    { deed: PROGRAM, on: childProcess, names: namesOf(childProcess, /^(?:exec|fork|spawn)/) },
    { deed: PROGRAM, on: childProcess.ChildProcess.prototype, names: ["spawn"] },
    { deed: PROGRAM, on: process, names: ["execve"] },
    { deed: PROCESS, on: process, names: ["kill", "_kill", "_debugProcess", "_debugEnd"] },
    { deed: PROCESS, on: os, names: ["setPriority"] },
    { deed: NATIVE, on: process, names: ["binding", "_linkedBinding", "dlopen"] },
    { deed: "changes the engine's flags", on: v8, names: ["setFlagsFromString"] },
    { deed: "changes how modules load", on: nodeModule, names: ["register", "registerHooks"] },
    { deed: FILE, on: traceEvents, names: ["createTracing"] },
    { deed: FILE, on: v8, names: ["writeHeapSnapshot", "setHeapSnapshotNearHeapLimit"] },
    { deed: FILE, on: nodeModule, names: ["enableCompileCache"] },
    ...[fs, fs.promises].map((on) => ({ deed: FILE, on, names: namesOf(on, CHANGES_FILES) })),
  ];
}

/** Not `write` and `writev`: they go to what is already open, such as standard output. */
const CHANGES_FILES =
  /^(?:appendFile|chmod|chown|copyFile|cp|createWriteStream|fchmod|fchown|ftruncate|futimes|lchmod|lchown|link|lutimes|mkdir|mkdtemp|mkdtempDisposable|rename|rm|rmdir|symlink|truncate|unlink|utimes|writeFile)(?:Sync)?$/;

function namesOf(on: object, pattern: RegExp): string[] {
  return Object.getOwnPropertyNames(on).filter((name) => pattern.test(name));
}

function close({ deed, on, names }: Gate, witness: Witness): void {
  for (const name of names) {
    // Another Node version may not have it; adding a new name to a built-in would only be noise.
    if (name in on) replace(on, name, refusal(`${deed} (${name})`, witness));
  }
}

function refusal(attempt: string, witness: Witness): () => never {
  const tell = witness(attempt);
  // A plain function, so that a class can extend it and `new` reaches the refusal.
  return function refused(): never {
    tell();
    throw new Error(`not while a bundle is checked: it ${attempt}`);
  };
}

/** `open` is also for reading; only other flags are an attempt to write. */
function guardOpening(files: object, witness: Witness): void {
  const { apply } = Reflect;
  for (const name of namesOf(files, /^open(?:Sync)?$/)) {
    const original: unknown = Reflect.get(files, name);
    if (typeof original !== "function") continue;
    const refused = refusal(`${FILE} (${name})`, witness);
    replace(files, name, function open(this: unknown, ...args: unknown[]): unknown {
      return isReading(args[1]) ? apply(original, this, args) : refused();
    });
  }
}

/** Under the permission model it throws for what may not be read; honest libraries use it at import to look around,
 *  and rely on it never throwing. */
function softenExists(): void {
  const { existsSync } = fs;
  replace(fs, "existsSync", function exists(path: fs.PathLike): boolean {
    try {
      return existsSync(path);
    } catch {
      return false;
    }
  });
}

/** Compared one by one: the bundle may have replaced a set's `has` by then. */
function isReading(flags: unknown): boolean {
  if (typeof flags === "function" || flags === undefined || flags === null) return true;
  return flags === "r" || flags === "rs" || flags === "sr" || flags === READ_ONLY;
}

const READ_ONLY = fs.constants.O_RDONLY;

/** Not read before it is replaced: reading some globals loads half of Node. */
function replace(on: object, name: string, value: unknown): void {
  Object.defineProperty(on, name, { value, writable: true, configurable: true, enumerable: true });
}
