/** An agent of bad manners: `stand-in.mjs <manner> [argument]`.
 *
 *  Those that start processes write the pids of all that shall be ended to the file `pids` in their working
 *  directory, one a line, and wait for ever. Those that speak end by themselves. */
import { spawn } from "node:child_process";
import { appendFileSync, closeSync, writeSync } from "node:fs";

const [, self, manner = "", argument = "0"] = process.argv;
const FOR_EVER = 2 ** 30;
const stay = () => setInterval(() => {}, FOR_EVER);
const note = (pid) => appendFileSync("pids", `${pid}\n`);
const MEBIBYTE = 1024 * 1024;

function start(kind, options = {}) {
  const child = spawn(process.execPath, [self, kind], { stdio: "ignore", ...options });
  child.unref();
}

function write(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (thrown) {
      if (thrown.code !== "EAGAIN") throw thrown;
    }
  }
}

const MANNERS = {
  stays: () => {
    note(process.pid);
    stay();
  },
  forks: () => {
    for (let each = 0; each < 3; each += 1) start("stays");
    MANNERS.stays();
  },
  leads: () => {
    start("stays", { detached: true });
    MANNERS.stays();
  },
  hides: () => {
    const env = { ...process.env, UNCAGED_RUN_MARK: "" };
    start("stays", { env });
    start("stays", { env, detached: true });
    MANNERS.stays();
  },
  // Its parent ends at once: nobody in the tree leads to it any more.
  orphans: () => {
    start("daemonises", { detached: true });
    MANNERS.stays();
  },
  daemonises: () => {
    start("stays", { detached: true });
    setTimeout(() => process.exit(0), 100);
  },
  ignores: () => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
    start("stubborn", { detached: true });
    MANNERS.stays();
  },
  stubborn: () => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
    MANNERS.stays();
  },
  floods: () => {
    const line = Buffer.from(`${"flood ".repeat(170)}\n`.repeat(1024));
    for (let sent = 0; sent < Number(argument) * MEBIBYTE; sent += line.length) write(line);
  },
  "has no lines": () => {
    const text = Buffer.alloc(MEBIBYTE, "x");
    for (let sent = 0; sent < Number(argument); sent += 1) write(text);
  },
  "says NUL": () => write(Buffer.from("before\0after\n\0\0\0\n")),
  "is no UTF-8": () =>
    write(Buffer.from([0x61, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x62, 0x0a])),
  "splits characters": async () => {
    for (const byte of Buffer.from("häß 😀 日本\n")) {
      write(Buffer.from([byte]));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  "closes stdout": async () => {
    write(Buffer.from("last words\n"));
    closeSync(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
  },
  "colours everything": () => write(Buffer.from("\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b[2J\n")),
  "reads nothing": async () => {
    process.stdin.pause();
    await new Promise((resolve) => setTimeout(resolve, 300));
    write(Buffer.from("never read it\n"));
  },
  "looks like a state": () =>
    write(Buffer.from('type: "state"\npayload: {"role":"__end__"}\nrefs: []\n')),
};

await MANNERS[manner]();
