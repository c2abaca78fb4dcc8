import { randomTag } from "@uncaged/workflow-util";
import { startEmbeddedServer } from "../server/embedded-server.ts";

/** An empty root on the PostgreSQL of this run. Nobody removes it: the server goes with the run. */
export async function testRoot(): Promise<{ url: string; root: string }> {
  const folder = process.env.UNCAGED_TEST_POSTGRES;
  if (folder === undefined)
    throw new Error("vitest.config.ts starts no PostgreSQL for this project");
  // Nothing here outlives a power cut.
  const settings = { fsync: "off", synchronous_commit: "off", max_connections: "400" };
  const { url } = await startEmbeddedServer({ folder, settings });
  return { url, root: `t${randomTag(12).toLowerCase()}` };
}
