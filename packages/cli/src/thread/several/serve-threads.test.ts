import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEngine } from "@uncaged/workflow-execute";
import { EXIT, ok } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fakeIo } from "../../command/io.test.helper.ts";
import type { ThreadChoice } from "./choose-threads.ts";
import { serveThreads, type Verb } from "./serve-threads.ts";

const HASH = "EYHPV6X8XHTCS";
const id = (letter: string): string => `01M7Z9WNCVHA4DP8Y98XX3ZSR${letter}`;
const ALL: ThreadChoice = {
  kind: "matching",
  standings: ["idle"],
  workflow: null,
  unchangedMs: null,
  yes: false,
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "uwf-several-"));
});
afterEach(() => rmSync(root, { recursive: true }));

async function idleThreads(threads: readonly { letter: string; parent?: string }[]): Promise<void> {
  const engine = await openEngine({ root, packagesBase: import.meta.url });
  for (const [at, { letter, parent }] of threads.entries()) {
    await engine.store.create(
      {
        ...{ threadId: id(letter), workflow: "steps", bundleHash: HASH, startHash: HASH },
        ...{ head: HASH, headSha256: "0".repeat(64), stepCount: 0, cwd: "/", forkedFrom: null },
        depth: parent === undefined ? 0 : 1,
        parentThread: parent === undefined ? null : id(parent),
        ...{ startedAt: at, createdAt: at },
      },
      null,
    );
  }
  await engine.store.close();
}

/** A verb that only records the threads it is called for. */
function noting(served: string[], children: Verb["children"] = "apart"): Verb {
  return {
    word: "greet",
    children,
    act: async (_engine, { threadId }) => {
      served.push(threadId);
      return ok({ document: { threadId }, human: () => `hello ${threadId}` });
    },
  };
}

function terminal(typed: string) {
  return fakeIo({
    env: { WORKFLOW_STORAGE_ROOT: root },
    color: true,
    stdin: {
      kind: "terminal",
      chunks: async function* () {
        yield Buffer.from(typed);
      },
    },
  });
}

it("says on a terminal what it will do, and does it only after a yes", async () => {
  await idleThreads([{ letter: "1" }, { letter: "2" }]);
  const served: string[] = [];
  const refused = terminal("\n");
  const nothing = await serveThreads(ALL, noting(served), refused);
  expect(nothing).toMatchObject({ ok: true, value: { document: [], exitCode: EXIT.aborted } });
  expect(served).toEqual([]);
  expect(refused.err()).toContain("greet 2 threads: 2 idle");
  expect(refused.err()).toContain(id("1"));
  const done = await serveThreads(ALL, noting(served), terminal("y\n"));
  expect(done).toMatchObject({ ok: true, value: { exitCode: EXIT.success } });
  expect(served).toEqual([id("2"), id("1")]);
});

it("does not ask with --yes, nor about a single thread", async () => {
  await idleThreads([{ letter: "1" }]);
  const served: string[] = [];
  await serveThreads({ ...ALL, yes: true }, noting(served), terminal(""));
  await serveThreads({ kind: "one", id: id("1") }, noting(served), terminal(""));
  expect(served).toEqual([id("1"), id("1")]);
});

it("does not list more threads than fit a screen, and counts the others", async () => {
  const letters = [..."123456789ABC"];
  await idleThreads(letters.map((letter) => ({ letter })));
  const io = terminal("n\n");
  await serveThreads(ALL, noting([]), io);
  expect(io.err()).toContain("greet 12 threads: 12 idle");
  expect(io.err()).toContain("and 2 more");
  expect(io.err().match(/01M7Z9/g)).toHaveLength(10);
});

it("skips a child that is reached through its parent", async () => {
  await idleThreads([{ letter: "1" }, { letter: "2", parent: "1" }, { letter: "3", parent: "9" }]);
  const served: string[] = [];
  await serveThreads({ ...ALL, yes: true }, noting(served, "with their parent"), terminal(""));
  expect(served).toEqual([id("3"), id("1")]);
});

it("continues after an error, and starts nothing new after an interruption", async () => {
  await idleThreads([..."123456789ABC"].map((letter) => ({ letter })));
  const abort = new AbortController();
  const served: string[] = [];
  const io = fakeIo({ env: { WORKFLOW_STORAGE_ROOT: root }, json: true, signal: abort.signal });
  const result = await serveThreads(
    ALL,
    {
      word: "greet",
      children: "apart",
      act: async (_engine, { threadId }) => {
        served.push(threadId);
        if (served.length === 3) abort.abort();
        throw new Error("the disk is gone");
      },
    },
    io,
  );
  expect(served.length).toBeLessThan(12);
  if (!result.ok || !("document" in result.value)) throw new Error("it has a document");
  expect(result.value.exitCode).toBe(EXIT.aborted);
  expect(result.value.document).toHaveLength(12);
  expect(JSON.stringify(result.value.document)).toContain("was not reached");
  expect(JSON.stringify(result.value.document)).toContain("the disk is gone");
});
