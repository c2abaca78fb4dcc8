/** Does one deed on a files store in a process of its own, whose file system is made to fail.
 *
 *      node faults.test.child.mjs kill <deed> <folder> <n>       is killed before its n-th call
 *      node faults.test.child.mjs trace <deed> <folder>          prints its calls as JSON
 *      node faults.test.child.mjs fail <deed> <folder> <errno>   for every n in turn, in
 *          <folder>/<n>, the n-th call fails with errno; prints the outcomes as JSON
 *
 *  Only the calls that the store makes are counted, and every write is a short one. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { join } from "node:path";

const SYNC = [
  "closeSync",
  "linkSync",
  "mkdirSync",
  "openSync",
  "readFileSync",
  "readdirSync",
  "renameSync",
  "rmSync",
  "rmdirSync",
  "statSync",
  "unlinkSync",
  "writeSync",
];
const SHORT_WRITE_BYTES = 100;

/** Called before each call of the file system; what it throws is what the call throws. */
let beforeCall = () => {};

function spoil(name) {
  const original = fs[name];
  fs[name] = (...args) => {
    beforeCall(name);
    return original(...args);
  };
}

function spoilAll() {
  const write = fs.writeSync;
  fs.writeSync = (fd, bytes, at) =>
    write(fd, bytes, at, Math.min(SHORT_WRITE_BYTES, bytes.length - at));
  for (const name of SYNC) spoil(name);
  const fsync = fs.fsync;
  fs.fsync = (fd, done) => {
    try {
      beforeCall("fsync");
      fsync(fd, done);
    } catch (error) {
      process.nextTick(done, error);
    }
  };
  syncBuiltinESMExports();
}

async function killed(deed, folder, n) {
  let calls = 0;
  beforeCall = () => {
    if (calls++ === n) process.kill(process.pid, "SIGKILL");
  };
  await deed(folder);
  beforeCall = () => {};
  console.log("done");
}

async function traced(deed, folder) {
  const calls = [];
  beforeCall = (call) => calls.push(call);
  await deed(folder);
  beforeCall = () => {};
  console.log(JSON.stringify(calls));
}

async function failing(deed, prepare, folder, code) {
  const outcomes = [];
  for (let n = 0; ; n++) {
    const store = join(folder, String(n));
    await prepare?.(store);
    let calls = 0;
    let failedCall = null;
    beforeCall = (name) => {
      if (calls++ !== n) return;
      failedCall = name;
      throw Object.assign(new Error(`${code}: injected, ${name}`), {
        code,
        errno: -os.constants.errno[code],
        syscall: name.replace("Sync", ""),
      });
    };
    const outcome = await deed(store).then(
      () => "ok",
      (error) => error.failure?.code ?? String(error.stack),
    );
    beforeCall = () => {};
    if (failedCall === null) break;
    const left = fs.existsSync(store) ? fs.readdirSync(store).sort() : [];
    outcomes.push({ call: failedCall, outcome, left });
  }
  console.log(JSON.stringify(outcomes));
}

spoilAll();
const { deeds } = await import("./faults.test.deeds.ts");
const [mode, name, folder, detail] = process.argv.slice(2);
const { deed, prepare } = deeds[name];
if (mode === "trace") await traced(deed, folder);
else if (mode === "kill") await killed(deed, folder, Number(detail));
else await failing(deed, prepare, folder, detail);
