import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { testRoot } from "@uncaged/workflow-store-postgres/testing";
import { expect, it } from "vitest";
import { initRoot } from "../place/init-root.ts";
import { collectStorage } from "./collect-storage.ts";
import { openEngine } from "./open-engine.ts";

it("two machines that have one root in PostgreSQL collect its garbage one after the other", async () => {
  const dir = await mkdtemp(join(tmpdir(), "shared-gc-"));
  const { url, root: name } = await testRoot();
  const machines = await Promise.all(
    ["one", "two"].map(async (each) => {
      const root = join(dir, each);
      await initRoot({ root, postgres: url, name, s3: null });
      return openEngine({ root, packagesBase: import.meta.url });
    }),
  );
  let inside = 0;
  let most = 0;
  const reports = await Promise.all(
    machines.map((engine) =>
      collectStorage(
        {
          ...engine,
          cas: {
            ...engine.cas,
            collect: async (request) => {
              inside += 1;
              most = Math.max(most, inside);
              await sleep(50);
              const report = await engine.cas.collect(request);
              inside -= 1;
              return report;
            },
          },
        },
        { dryRun: false, graceMs: null },
      ),
    ),
  );
  expect(reports).toHaveLength(2);
  expect(most).toBe(1);
  await Promise.all(machines.map(({ store }) => store.close()));
  await rm(dir, { recursive: true, force: true });
});
