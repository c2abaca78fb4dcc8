import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { testRoot } from "../testing/test-root.ts";
import { whileRootLocked } from "./root-lock.ts";

test("of two machines one is in its section at a time, and another root does not wait", async () => {
  const at = { ...(await testRoot()), patienceMs: 30_000 };
  const other = { ...(await testRoot()), patienceMs: 30_000 };
  let inside = 0;
  let most = 0;
  const section = async (): Promise<void> => {
    inside += 1;
    most = Math.max(most, inside);
    await whileRootLocked(other, async () => {});
    await sleep(30);
    inside -= 1;
  };
  await Promise.all([1, 2, 3].map(() => whileRootLocked(at, section)));
  expect(most).toBe(1);
});

test("who waits for too long is told, and a holder that vanishes leaves no lock", async () => {
  const at = await testRoot();
  const over = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  const holding = whileRootLocked({ ...at, patienceMs: 1 }, async () => {
    entered.resolve();
    await over.promise;
  });
  await entered.promise;
  await expect(whileRootLocked({ ...at, patienceMs: 50 }, async () => {})).rejects.toMatchObject({
    failure: { code: "STORAGE_FAILED", message: expect.stringContaining("another machine") },
  });
  const client = new pg.Client({ connectionString: at.url });
  await client.connect();
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_locks
     WHERE locktype = 'advisory' AND ((classid::bigint << 32) | objid::bigint) = hashtextextended($1, 2)`,
    [`uncaged_${at.root}`],
  );
  await client.end();
  await whileRootLocked({ ...at, patienceMs: 30_000 }, async () => {});
  over.resolve();
  await holding;
});
