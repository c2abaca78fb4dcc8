/** One PostgreSQL for all tests of a run: started by the first one that needs it, stopped after the last. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stopEmbeddedServer } from "../server/embedded-server.ts";

export function setup(): void {
  // Every project of the run finds the same one.
  process.env.UNCAGED_TEST_POSTGRES ??= mkdtempSync(join(tmpdir(), "uwf-postgres-"));
}

export async function teardown(): Promise<void> {
  const folder = process.env.UNCAGED_TEST_POSTGRES;
  if (folder === undefined) return;
  await stopEmbeddedServer({ folder });
  rmSync(folder, { recursive: true, force: true });
}
