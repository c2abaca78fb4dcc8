import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DevError } from "./dev-error.mjs";

const WAIT_MS = 10 * 60_000;
const POLL_MS = 100;

/** Runs `body` while no other process of this machine holds `file`.
 *  A holder that died is recognised by its pid and pushed aside. */
export async function withLock({ file, say, waitMs = WAIT_MS }, body) {
  await acquire(file, say, waitMs);
  try {
    return await body();
  } finally {
    rmSync(file, { force: true });
  }
}

async function acquire(file, say, waitMs) {
  mkdirSync(dirname(file), { recursive: true });
  const deadline = Date.now() + waitMs;
  let told = false;
  while (!tryCreate(file)) {
    const holder = readHolder(file);
    if (holder !== null && !isAlive(holder)) {
      pushAside(file, holder);
      continue;
    }
    if (Date.now() > deadline) {
      throw new DevError(
        `waited ${waitMs / 1000} s for process ${holder}, which holds ${file}`,
        "If that process has nothing to do with this repository, delete the file.",
      );
    }
    if (!told) say(`waiting for process ${holder}, which installs or builds`);
    told = true;
    await sleep(POLL_MS);
  }
}

function tryCreate(file) {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw new DevError(`cannot write ${file}: ${error.message}`, "The clone must be writable.");
  }
}

/** The holder's pid; null when the file went away or its line is not written yet. */
function readHolder(file) {
  try {
    const pid = Number(readFileSync(file, "utf8"));
    return Number.isInteger(pid) && pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/** Two that wait may both see a dead holder: the slower one would move the faster one's new
 *  lock. So whoever moved looks at what it took and puts a living holder's file back. */
function pushAside(file, deadPid) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (readHolder(aside) === deadPid) rmSync(aside, { force: true });
  else renameSync(aside, file);
}
