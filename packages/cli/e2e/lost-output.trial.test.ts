/** A command that cannot write its output, or whose working directory is gone, says so. */
import { spawnSync } from "node:child_process";
import { closeSync, existsSync, mkdtempSync, openSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BIN } from "./cli.test.helper.ts";

const env = {
  PATH: process.env.PATH,
  HOME: tmpdir(),
  WORKFLOW_STORAGE_ROOT: join(tmpdir(), "none"),
};

it.runIf(existsSync("/dev/full"))(
  "an output that is full is said on stderr, with exit code 5",
  () => {
    for (const words of [["thread", "list", "--json"], ["--help"], ["doctor"]]) {
      const full = openSync("/dev/full", "w");
      const { status, stderr } = spawnSync(process.execPath, [BIN, ...words], {
        encoding: "utf8",
        env,
        stdio: ["ignore", full, "pipe"],
      });
      closeSync(full);
      expect([words, status, stderr]).toEqual([
        words,
        5,
        expect.stringContaining("STORAGE_FAILED"),
      ]);
      expect(stderr).toContain("ENOSPC");
    }
  },
);

it("every command reports a missing working directory, without a stack trace", () => {
  const folder = mkdtempSync(join(tmpdir(), "uwf-gone-"));
  for (const words of ["thread list", "run x -p y", "doctor", "init z", "cas list"]) {
    const { status, stderr } = spawnSync(
      "/bin/sh",
      [
        "-c",
        `mkdir -p "$0" && cd "$0" && rmdir "$0" && exec "$1" "$2" ${words}`,
        folder,
        process.execPath,
        BIN,
      ],
      { encoding: "utf8", env },
    );
    expect([words, status, stderr]).toEqual([words, 2, expect.stringContaining("FILE_NOT_FOUND")]);
    expect(stderr).toContain("working directory");
    expect(stderr).not.toMatch(/\n\s+at /);
  }
});
