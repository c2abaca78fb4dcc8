import { randomTag } from "@uncaged/workflow-util";
import { startEmbeddedServer } from "../server/embedded-server.ts";

/** An empty root on the PostgreSQL of this test run, which is started by the first call: in the folder that the variable
 *  UNCAGED_TEST_POSTGRES names. Nobody removes the root: the server goes with the run. */
export async function testRoot(): Promise<{ url: string; root: string }> {
  const folder = process.env.UNCAGED_TEST_POSTGRES;
  if (folder === undefined) throw new Error("UNCAGED_TEST_POSTGRES names no folder");
  // Nothing here outlives a power cut.
  const settings = { fsync: "off", synchronous_commit: "off", max_connections: "400" };
  const { url } = await startEmbeddedServer({ folder, settings });
  return { url, root: `t${randomTag(12).toLowerCase()}` };
}
