import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withLock } from "./lock.mjs";

let folder;
let file;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "uwf-lock-"));
  file = join(folder, "prepare.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const quiet = () => {};

test("the lock is gone after the body, also when the body failed", async () => {
  expect(await withLock({ file, say: quiet }, async () => existsSync(file))).toBe(true);
  const failing = withLock({ file, say: quiet }, async () => {
    throw new Error("body");
  });
  await expect(failing).rejects.toThrow("body");
  expect(existsSync(file)).toBe(false);
});

test("a lock whose holder died is taken over", async () => {
  const dead = spawnSync(process.execPath, ["-e", "0"]).pid;
  writeFileSync(file, `${dead}\n`);
  expect(await withLock({ file, say: quiet }, async () => readFileSync(file, "utf8"))).toBe(
    `${process.pid}\n`,
  );
});

test("a lock whose holder lives is waited for, and the wait ends with its pid", async () => {
  writeFileSync(file, `${process.ppid}\n`);
  const waiting = withLock({ file, say: quiet, waitMs: 150 }, async () => "ran");
  await expect(waiting).rejects.toThrow(`process ${process.ppid}`);
  expect(existsSync(file)).toBe(true);
});

test("processes that start at once over a dead holder run one after the other", async () => {
  const dead = spawnSync(process.execPath, ["-e", "0"]).pid;
  writeFileSync(file, `${dead}\n`);
  const log = join(folder, "log");
  const script = `
    import { appendFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    import { withLock } from ${JSON.stringify(new URL("./lock.mjs", import.meta.url).href)};
    await withLock({ file: ${JSON.stringify(file)}, say() {} }, async () => {
      appendFileSync(${JSON.stringify(log)}, "in\\n");
      await sleep(20);
      appendFileSync(${JSON.stringify(log)}, "out\\n");
    });`;
  const codes = await Promise.all(Array.from({ length: 6 }, () => ended(script)));
  expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
  expect(readFileSync(log, "utf8")).toBe("in\nout\n".repeat(6));
});

function ended(script) {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  return new Promise((resolve) => child.on("close", resolve));
}
