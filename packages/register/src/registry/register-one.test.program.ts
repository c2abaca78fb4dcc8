/** Test process: `register-one.test.program.js <root> <name>` registers one name, using a file as the lock. */
import { closeSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ok } from "@uncaged/workflow-protocol";
import { registerVersion } from "./edit-registry.ts";
import { updateRegistry } from "./update-registry.ts";

const [, , root = "", name = ""] = process.argv;
const lock = join(root, "test.lock");

async function exclusively<T>(section: () => T): Promise<T> {
  while (!taken()) await sleep(2);
  try {
    return section();
  } finally {
    rmSync(lock);
  }
}

function taken(): boolean {
  try {
    closeSync(openSync(lock, "wx"));
    return true;
  } catch {
    return false;
  }
}

const version = { hash: "0123456789ABC", sha256: "a".repeat(64), timestamp: 1 };
const updated = await updateRegistry({
  root,
  exclusively,
  change: (file) => ok(registerVersion(file, { name, version })),
});
process.exitCode = updated.ok ? 0 : 1;
