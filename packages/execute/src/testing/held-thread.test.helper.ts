import type { EncodedNode, ThreadStore } from "@uncaged/workflow-protocol";

/** Makes a thread that begins at this node and takes its lease for this process. Returns the fence. */
export async function heldThread(
  threads: ThreadStore,
  { threadId, start }: { threadId: string; start: EncodedNode },
): Promise<number> {
  await threads.create(
    {
      threadId,
      workflow: "sample",
      bundleHash: start.hash,
      startHash: start.hash,
      head: start.hash,
      headSha256: start.sha256,
      stepCount: 0,
      depth: 0,
      parentThread: null,
      cwd: "/",
      forkedFrom: null,
      startedAt: 0,
      createdAt: 0,
      limits: null,
      agent: null,
    },
    null,
  );
  const { fence } = await threads.acquire({
    threadId,
    process: { pid: process.pid, startedAt: "0", bootId: "test" },
    ttlMs: 600_000,
    nowMs: Date.now(),
    replaces: null,
  });
  return fence;
}
