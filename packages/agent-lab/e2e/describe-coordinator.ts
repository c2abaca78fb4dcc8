/** A whole thread whose first role coordinates: real agents as its workers too, and a scripted model behind all of them. */
import type { ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentBinding } from "../src/agents/agent-under-test.ts";
import { COORDINATING_WORKFLOW, HAND_WORKFLOW, openStage, type Stage } from "../src/index.ts";

const INSTALL_LIMIT_MS = 6 * 60_000;
const RUN_LIMIT_MS = 180_000;

const spawn = (title: string): string =>
  `[[tool:worker_spawn {"title":"${title}","prompt":"count the ${title}"}]]`;

/** `prepare`: installs what it needs, and returns the agent as an entry of `config.agents`, bound to the model at `url`. */
export function describeCoordinator(prepare: () => Promise<(url: string) => AgentBinding>): void {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage({
      binding: await prepare(),
      workflow: COORDINATING_WORKFLOW,
      others: { hand: HAND_WORKFLOW },
      scripts: () => ({
        // Its turn ends while they count; the answer comes with the last news.
        "1 lead": `${spawn("files")} ${spawn("folders")} [[text:two are counting]] [[json:{"status":"done","report":"both have counted"}]]`,
        "1 hand": '[[shell:ls]] [[json:{"status":"done","count":7}]]',
        "2 closer": '[[json:{"status":"done"}]]',
      }),
    });
  }, INSTALL_LIMIT_MS);
  afterAll(() => stage?.close());

  test("a coordinator hands out work, hears of each end, and its thread goes on to its own", {
    timeout: RUN_LIMIT_MS,
  }, async () => {
    const words = ["run", "flow", "--prompt", "Count.", "--wait"];
    const { threadId } = await stage.json<{ threadId: string }>(words);
    const { status, steps } = await stage.json<ThreadView>(["thread", "show", threadId]);
    expect([status, ...steps.map(({ role }) => role)]).toEqual(["completed", "lead", "closer"]);
    const workers = steps[0]?.workers ?? [];
    expect(workers.map(({ title, status: end }) => [title, end])).toEqual([
      ["files", "completed"],
      ["folders", "completed"],
    ]);
    expect(steps[0]?.meta).toEqual({ status: "done", report: "both have counted" });
    const said = JSON.stringify(stage.model.calls().at(-1)?.messages ?? []);
    expect(said).not.toContain("<task-id>");
    const told = JSON.stringify(stage.model.calls().map(({ messages }) => messages));
    for (const { id } of workers) expect(told).toContain(`<task-id>${id}</task-id>`);
    expect(await stage.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
  });
}
