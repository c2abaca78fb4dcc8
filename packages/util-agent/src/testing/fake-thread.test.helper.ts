import type { RoleStep, ThreadContext, WorkflowRuntime } from "@uncaged/workflow-protocol";
import { fakeCas } from "./fake-cas.ts";
import { fakeContext } from "./fake-runtime.ts";

type Parts = Pick<WorkflowRuntime, "cas" | "step">;

export async function fakeThread(
  task: string,
  turns: readonly { role: string; meta: Record<string, unknown>; content: string }[],
  edgePrompt: string | null = null,
): Promise<{ ctx: ThreadContext; runtime: Parts }> {
  const { texts: _unseen, ...cas } = fakeCas();
  const steps: RoleStep[] = [];
  for (const { role, meta, content } of turns) {
    const contentHash = await cas.put(content);
    steps.push({ role, meta, contentHash, refs: [], timestamp: 0, childThread: null, run: null });
  }
  const ctx = fakeContext(task, steps);
  const round = steps.length + 1;
  const route = {
    from: "__start__",
    to: "coder",
    condition: "FALLBACK",
    rule: 0,
    prompt: edgePrompt,
  };
  const step = {
    role: "coder",
    round,
    route,
    location: null,
    previousSession: null,
    cwd: "/project",
    processTag: "test:1",
    home: "/nowhere",
    agent: null,
  };
  return { ctx, runtime: { cas, step } };
}
