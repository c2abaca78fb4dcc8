/** Threads whose hashes are all consistent, but which contradict their table, their index or their
 *  own nodes. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeContent, encodeNode } from "@uncaged/workflow-cas";
import {
  type CheckReport,
  END,
  type RootStore,
  START,
  type ThreadEnding,
  type ThreadFacts,
  type ThreadRecord,
  type ThreadSteering,
  threadFacts,
} from "@uncaged/workflow-protocol";
import type { ParsedRoleOutput } from "@uncaged/workflow-protocol/schemas";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readNode } from "../chain/read-node.ts";
import {
  addThread,
  ENDING,
  route,
  type SampleRoot,
  STEPS,
  sampleRoot,
  THREAD_ID,
} from "../provenance/sample-root.test.helper.ts";
import { verifyThread } from "./verify-thread.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "verify-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const [CODER, TESTER] = STEPS;
const coder = (change: Partial<ParsedRoleOutput>): ParsedRoleOutput => ({
  ...{ role: "coder", meta: { left: 0 } },
  ...CODER,
  ...change,
});

async function verified(steps: readonly ParsedRoleOutput[]): Promise<CheckReport> {
  const { engine, thread } = await sampleRoot(root, steps);
  return verifyThread(engine, thread);
}

const codes = (report: CheckReport): string[] => report.problems.map(({ code }) => code);

const DONE: ThreadEnding = { status: "completed", returnCode: 0, summary: "done" };

describe("verifyThread", () => {
  it("finds nothing wrong with a sound thread, and reads every blob of it", async () => {
    const { engine, thread, blobs } = await sampleRoot(root);
    const report = await verifyThread(engine, thread);
    expect(report).toEqual({ ok: true, checked: blobs.size, problems: [] });
  });

  it("reports a result that the workflow never returned", async () => {
    const meta = { ...ENDING.meta, result: "forged" };
    const report = await verified([...STEPS, { ...ENDING, meta }]);
    expect(report.problems).toMatchObject([
      {
        code: "RESULT_MISMATCH",
        message: 'recorded "forged"; the workflow now says no result',
      },
    ]);
  });

  it.each<[string, ParsedRoleOutput[], RegExp]>([
    [
      "leads elsewhere",
      [{ ...TESTER, role: "tester", meta: {}, route: route(START, "tester") }],
      /recorded __start__ → tester .*; the table now says __start__ → coder/,
    ],
    [
      "names another rule",
      [coder({ route: route(START, "coder", { rule: 1, prompt: "go!" }) })],
      /the table now says __start__ → coder \(FALLBACK\) by rule 0/,
    ],
    [
      "names another condition",
      [coder({ route: route(START, "coder", { condition: "asked", prompt: "go!" }) })],
      /the table now says .*FALLBACK/,
    ],
    [
      "has another edge prompt",
      [coder({ route: route(START, "coder", { prompt: "stop!" }) })],
      /the table now says another edge prompt: "go!"/,
    ],
    [
      "belongs to another role",
      [coder({ role: "tester" })],
      /its role is tester, its route leads to coder/,
    ],
    [
      "ends where a rule leads on",
      [coder({}), { ...ENDING, route: route("coder", END, { condition: "NO_MATCH", rule: null }) }],
      /the table now says coder → tester/,
    ],
    [
      "goes on where no rule does",
      [...STEPS, coder({ route: route("tester", "coder", { prompt: "go!" }) })],
      /the table now says tester → __end__ \(NO_MATCH\) by rule none/,
    ],
    [
      "claims an answer where nobody was asked",
      [coder({}), coder({ route: route("coder", "coder", { condition: "ANSWER", rule: null }) })],
      /the table now says tester, which asks nobody/,
    ],
  ])("finds a step whose route %s", async (_name, steps, message) => {
    const report = await verified(steps);
    expect(codes(report)).toContain("ROUTE_MISMATCH");
    expect(report.problems.map((problem) => problem.message).join("\n")).toMatch(message);
  });

  it("accepts a person's prompt in place of the edge's", async () => {
    const given = route(START, "coder", { prompt: "again", promptFrom: "person" });
    expect(await verified([coder({ route: given })])).toMatchObject({ ok: true });
  });

  it("finds an end node that is not the end", async () => {
    const report = await verified([...STEPS, ENDING, coder({ route: null })]);
    expect(report.problems).toContainEqual(
      expect.objectContaining({
        code: "CHAIN_BROKEN",
        message: "an end node stands before the end",
      }),
    );
  });

  it.each<[string, Partial<ThreadFacts>, KnownStanding]>([
    ["another number of steps", { stepCount: 1 }, DONE],
    ["another depth", { depth: 1 }, DONE],
    ["another workflow", { workflow: "other" }, DONE],
    ["an end that was not", {}, { ...DONE, status: "failed", returnCode: 1 }],
    ["another status than its return code", {}, { ...DONE, status: "aborted" }],
    ["another summary", {}, { ...DONE, summary: "much better" }],
    ["that it goes on", {}, { status: "idle", pendingInput: null, replaced: null, signals: [] }],
  ])("finds an index that claims %s", async (_name, facts, standing) => {
    const { engine, thread } = await sampleRoot(root);
    const report = await verifyThread(engine, { ...threadFacts(thread), ...facts, ...standing });
    expect(new Set(codes(report))).toEqual(new Set(["INDEX_MISMATCH"]));
  });

  it("finds an index that vouches for other bytes of the head", async () => {
    const { engine, thread } = await sampleRoot(root);
    const report = await verifyThread(engine, { ...thread, headSha256: "0".repeat(64) });
    expect(codes(report)).toEqual(["DIGEST_MISMATCH"]);
  });

  it("finds every blob that is missing, wherever it hangs", async () => {
    const inner = encodeContent("inner");
    const outer = encodeContent("outer", [inner.hash]);
    const evidence = encodeContent("tests passed");
    const { engine } = await sampleRoot(root, []);
    await engine.cas.putBatch([inner, outer, evidence]);
    const run = {
      ...{ agent: { name: "a", version: "1" }, session: null, prompt: inner.hash },
      ...{ startedAt: 1, completedAt: 2, usage: null, cwd: "/", evidence: [evidence.hash] },
    };
    const threadId = `${THREAD_ID.slice(0, -1)}C`;
    const steps = [coder({ refs: [outer.hash], run })];
    const thread = await addThread(engine, { threadId, steps, parent: null });
    expect(await verifyThread(engine, thread)).toMatchObject({ ok: true, checked: 7 });
    for (const { hash } of [inner, outer, evidence]) {
      const gone = { ...engine, cas: without(engine.cas, hash) };
      const report = await verifyThread(gone, thread);
      expect(report.problems).toContainEqual(
        expect.objectContaining({ code: "CAS_MISSING", hash }),
      );
    }
  });

  it("finds a node of another type where a content belongs", async () => {
    const { engine, thread } = await sampleRoot(root, [coder({})]);
    const head = await readNode(engine.cas, thread.head, "state");
    const { start } = head.payload;
    const startSha = head.payload.digests[start] ?? "";
    const forged = encodeNode({
      type: "state",
      payload: { ...head.payload, content: start, digests: { [start]: startSha } },
      refs: [start, start],
    });
    await engine.cas.putBatch([forged]);
    const report = await verifyThread(engine, {
      ...{ ...thread, head: forged.hash, headSha256: forged.sha256 },
    });
    expect(report.problems).toContainEqual(
      expect.objectContaining({
        hash: start,
        message: expect.stringMatching(/not a content node/),
      }),
    );
  });

  it("proves the child threads of the steps, and that each was started where its step says", async () => {
    const { engine, thread } = await sampleRoot(root, []);
    const startedFrom = async (letter: string, at: ThreadRecord): Promise<CheckReport> => {
      const child = await childOf(engine, letter, at);
      const steps = [
        coder({}),
        { ...STEPS[1], role: "tester", meta: {}, childThread: child.threadId },
      ];
      const threadId = `${THREAD_ID.slice(0, -2)}P${letter}`;
      const parent = await addThread(engine, { threadId, steps, parent: null });
      return verifyThread(engine, parent);
    };
    const first = `${THREAD_ID.slice(0, -1)}D`;
    const one = await addThread(engine, { threadId: first, steps: [coder({})], parent: null });
    expect(await startedFrom("E", one)).toMatchObject({ ok: true, checked: 8 });
    expect(await startedFrom("F", thread)).toMatchObject({
      ok: false,
      problems: [{ code: "CHAIN_BROKEN", message: expect.stringMatching(/was not started from/) }],
    });
  });
});

type KnownStanding = ThreadEnding | (ThreadSteering & { status: "idle" });

/** A child thread that was started when its parent's head was the one in `at`. */
async function childOf(
  engine: SampleRoot["engine"],
  letter: string,
  at: ThreadRecord,
): Promise<ThreadRecord> {
  const state = { hash: at.head, sha256: at.headSha256 };
  const threadId = `${THREAD_ID.slice(0, -2)}C${letter}`;
  return addThread(engine, {
    threadId,
    steps: [coder({})],
    parent: { threadId: at.threadId, state },
  });
}

function without(cas: RootStore, absent: string): RootStore {
  return {
    ...cas,
    get: async (hash) => (hash === absent ? null : cas.get(hash)),
    getMany: (hashes) => cas.getMany(hashes.filter((hash) => hash !== absent)),
  };
}
