import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { JsonObject } from "@uncaged/workflow-protocol";
import { findTagged } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenCliOptions } from "./cli-run.ts";
import { jsonLines } from "./json-lines.ts";
import { type OpenCli, openCli } from "./open-cli.ts";

let tag: string;

beforeEach(() => {
  tag = `test-${randomUUID()}:1`;
});

afterEach(() => {
  expect(findTagged(tag)).toEqual([]);
});

async function open(script: string, options: Partial<OpenCliOptions> = {}): Promise<OpenCli> {
  const opened = await openCli("sh", ["-c", script], { cwd: tmpdir(), tag, ...options });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** Echoes whatever it reads, one JSON object per line. */
const ECHO = 'while read -r line; do echo "{\\"said\\":\\"$line\\"}"; done; echo bye >&2';

describe("a program that is talked to", () => {
  it("answers one thing after the other, until its input is closed", async () => {
    const answers: JsonObject[] = [];
    const heard = Promise.withResolvers<void>();
    const { line } = jsonLines((object) => {
      answers.push(object);
      if (answers.length === 2) heard.resolve();
    });
    const cli = await open(ECHO, { onLine: line });
    expect(await cli.write("one\n")).toBe(true);
    expect(await cli.write("two\n")).toBe(true);
    await heard.promise;
    expect(answers).toEqual([{ said: "one" }, { said: "two" }]);
    cli.closeInput();
    const ended = await cli.ended;
    expect(ended).toMatchObject({ ok: true, value: { exitCode: 0, stoppedBy: null } });
    expect(cli.stderr()).toBe("bye\n");
  });

  it("is ended with everything it started, when it is no longer needed", async () => {
    const cli = await open(
      "setsid sleep 60 & trap '' INT TERM; echo ready; while :; do sleep 1; done",
      {
        graceMs: 100,
      },
    );
    await expect.poll(() => findTagged(tag).length, { timeout: 5_000 }).toBeGreaterThan(1);
    await cli.stop();
    expect(findTagged(tag)).toEqual([]);
    expect(await cli.ended).toMatchObject({ value: { stoppedBy: "stop" } });
    expect(await cli.write("too late\n")).toBe(false);
  });

  it("may never read: a write waits, and a stop ends the wait", async () => {
    const cli = await open("sleep 60", { graceMs: 100 });
    const written = cli.write("x".repeat(5_000_000));
    await sleep(50);
    await cli.stop();
    expect(await written).toBe(false);
  });

  it("is not considered silent while nothing is asked of it", async () => {
    const cli = await open(ECHO, { idleTimeoutMs: 300, graceMs: 100 });
    const wake = cli.rest();
    await sleep(700);
    expect(await cli.write("still there?\n")).toBe(true);
    wake();
    expect(await cli.ended).toMatchObject({ value: { stoppedBy: "idle" } });
  });

  it("whose reader throws is ended, although nobody waits for its end", async () => {
    const cli = await open("echo one; sleep 60", {
      graceMs: 100,
      onLine: () => {
        throw new Error("cannot take it");
      },
    });
    await expect.poll(() => findTagged(tag), { timeout: 5_000 }).toEqual([]);
    await expect(cli.ended).rejects.toThrow("cannot take it");
  });

  it("may flood us with 100 MB, including invalid bytes and escape codes", {
    timeout: 60_000,
  }, async () => {
    const before = process.memoryUsage().rss;
    const { line, noise } = jsonLines(() => {});
    const cli = await open(
      "printf '\\033[31m{\"a\":1}\\033[0m\\n\\377\\376\\n'; head -c 100000000 /dev/urandom",
      { onLine: line },
    );
    const ended = await cli.ended;
    expect(ended).toMatchObject({ value: { exitCode: 0 } });
    expect(noise().count).toBeGreaterThan(1_000);
    // All of it as text would be 200 MB; when memory is freed is up to the garbage collector.
    expect(process.memoryUsage().rss - before).toBeLessThan(192 * 1024 * 1024);
  });
});
