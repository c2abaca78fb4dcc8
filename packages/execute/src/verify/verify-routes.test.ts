import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DescriptorEdge, START } from "@uncaged/workflow-protocol";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadChain } from "../chain/chain.ts";
import { threadContext } from "../chain/thread-context.ts";
import { sampleRoot } from "../provenance/sample-root.test.helper.ts";
import { edge } from "../testing/edge.test.helper.ts";
import { verifyRoutes } from "./verify-routes.ts";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "verify-routes-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** A thread of three states, and the same rule for each of its routes. */
async function asked(more: Partial<DescriptorEdge>, clock?: { now: () => number }) {
  const { engine, thread } = await sampleRoot(root);
  const chain = await loadChain(engine.cas, thread);
  const context = await threadContext(engine.cas, thread, chain);
  const edges = [START, "coder", "tester"].map((from) => edge(from, "coder", more));
  const tables = new Map([[chain.start.payload.hash, edges]]);
  const found = await verifyRoutes(tables, chain, context, clock);
  return found.map(({ hash, message }) => ({
    at: chain.states.findIndex((state) => state.hash === hash),
    message,
  }));
}

it("asks no further once a rule of a table that may be anybody's does not come to its end", async () => {
  const found = await asked({ when: "$count($distinct([1..1000000])) > 0" });
  expect(found).toEqual([
    {
      at: 0,
      message: expect.stringMatching(/took longer than 5000 ms.*no route after it was evaluated/u),
    },
  ]);
}, 60_000);

it("asks no further once the routes together have taken longer than all of them may", async () => {
  const slow = ticking(20_000);
  expect(await asked({}, slow)).toEqual([
    { at: 0, message: expect.stringContaining("another edge prompt") },
    { at: 1, message: expect.stringMatching(/was not evaluated.* more than 30100 ms in total/u) },
  ]);
});

it("asks for every route that is within the time that all of them may take", async () => {
  const found = await asked({}, ticking(10_000));
  expect(found.map(({ at }) => at)).toEqual([0, 1, 2]);
  expect(found.map(({ message }) => message).join()).not.toContain("not evaluated");
});

/** A clock that advances by this much at each reading. */
function ticking(ms: number): { now: () => number } {
  let nowMs = 0;
  return {
    now: () => {
      nowMs += ms;
      return nowMs;
    },
  };
}
