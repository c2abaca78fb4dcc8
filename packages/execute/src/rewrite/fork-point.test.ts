import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RoleOutput, ThreadRecord } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadChain, roleStates } from "../chain/chain.ts";
import type { NodeReader } from "../chain/read-node.ts";
import { type OwnedThread, ownedThread } from "../testing/leased-thread.test.helper.ts";
import { type ForkPoint, findPoint, type PointOfChain } from "./fork-point.ts";

const LONG = 2_500;
let root = "";
let long: OwnedThread;
let thread: ThreadRecord;
let rounds: string[] = [];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "point-"));
  long = await ownedThread(root);
  await long.execute(async function* () {
    for (let n = 1; n <= LONG; n++) {
      const output: RoleOutput = { role: n === 10 ? "tester" : "coder", meta: { n } };
      yield output;
    }
    return { returnCode: 0, summary: "done" };
  });
  thread = await long.record();
  rounds = roleStates(await loadChain(long.engine.cas, thread)).map(({ hash }) => hash);
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function pointAt(
  from: ForkPoint,
  cas: NodeReader = long.engine.cas,
  of: ThreadRecord = thread,
): Promise<PointOfChain> {
  const point = await findPoint(cas, of, from);
  if (!point.ok) throw new Error(point.error.message);
  return point.value;
}

it.each([1, 2, 3, 10, 1_024, 1_025, 1_476, 2_047, LONG - 1, LONG])(
  "step %d of a long thread is the state of that round",
  async (step) => {
    const version = "EYHPV6X8XHTCS";
    const expected = { hash: rounds[step - 1], stepCount: step, version };
    expect(await pointAt({ kind: "step", step })).toEqual(expected);
  },
);

it("the head is the last step, not the end node behind it; step 0 is the start", async () => {
  expect(await pointAt({ kind: "head" })).toMatchObject({ hash: rounds.at(-1), stepCount: LONG });
  const start = { hash: thread.startHash, stepCount: 0 };
  expect(await pointAt({ kind: "step", step: 0 })).toMatchObject(start);
});

it("the last step of a role is found, however far back", async () => {
  const last = { hash: rounds.at(-1), stepCount: LONG };
  expect(await pointAt({ kind: "role", role: "coder" })).toMatchObject(last);
  const tester = { hash: rounds[9], stepCount: 10 };
  expect(await pointAt({ kind: "role", role: "tester" })).toMatchObject(tester);
  expect(await findPoint(long.engine.cas, thread, { kind: "role", role: "painter" })).toMatchObject(
    {
      ok: false,
      error: { code: "USAGE", hint: "its roles so far: coder, tester" },
    },
  );
});

it("finding a step reads a few blobs of a long thread, not all of them", async () => {
  for (const from of [
    { kind: "head" },
    { kind: "step", step: 1 },
    { kind: "step", step: 777 },
    { kind: "role", role: "coder" },
  ] satisfies ForkPoint[]) {
    let read = 0;
    const cas: NodeReader = {
      get: (hash) => {
        read += 1;
        return long.engine.cas.get(hash);
      },
      getMany: (hashes) => {
        read += hashes.length;
        return long.engine.cas.getMany(hashes);
      },
    };
    await pointAt(from, cas);
    expect(read).toBeLessThan(40);
  }
});

it("a thread whose index counts other rounds than its chain has is read as a whole", async () => {
  const miscounted = { ...thread, stepCount: LONG - 1 };
  const point = await pointAt({ kind: "head" }, long.engine.cas, miscounted);
  expect(point).toMatchObject({ hash: rounds.at(-1), stepCount: LONG });
});
