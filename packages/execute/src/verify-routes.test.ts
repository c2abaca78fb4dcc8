import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { START } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { loadChain } from "./chain.ts";
import { edge } from "./edge.test.helper.ts";
import { sampleRoot } from "./provenance/sample-root.test.helper.ts";
import { threadContext } from "./thread-context.ts";
import { verifyRoutes } from "./verify-routes.ts";

it("asks no further once a rule of a table that may be anybody's does not come to its end", async () => {
  const root = await mkdtemp(join(tmpdir(), "verify-routes-"));
  try {
    const { engine, thread } = await sampleRoot(root);
    const chain = await loadChain(engine.cas, thread);
    const context = await threadContext(engine.cas, thread, chain);
    const when = "$count($distinct([1..1000000])) > 0";
    const edges = [START, "coder", "tester"].map((from) => edge(from, "coder", { when }));
    const tables = new Map([[chain.start.payload.hash, edges]]);
    const found = await verifyRoutes(tables, chain, context);
    expect(chain.states.length).toBeGreaterThan(1);
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toMatch(/took longer than 5000 ms.*no route after it was asked for/u);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}, 60_000);
