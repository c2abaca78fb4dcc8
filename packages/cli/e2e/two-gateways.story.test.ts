/** Two machines that share a root, each with a gateway of its own: what one page does, the other one sees and steers. */
import { call, type ServerEvent } from "@uncaged/workflow-gateway/contract";
import { testRoot } from "@uncaged/workflow-store-postgres/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { ask, loggedIn, type Up, watch } from "./gateway.test.helper.ts";
import { type Staying, staying } from "./staying.test.helper.ts";

type Machine = { cli: Cli; processes: Staying };
let machines: Machine[] = [];
beforeAll(async () => {
  const { url, root } = await testRoot();
  machines = [openCli(), openCli()].map((cli) => ({ cli, processes: staying(cli) }));
  for (const { cli } of machines)
    await cli.json(["root", "init", "--postgres", url, "--name", root]);
  await machines[0]?.cli.addSteps("steps");
});
afterAll(async () => {
  for (const { cli, processes } of machines) {
    await processes.end();
    await cli.close();
  }
});

async function page(at: number) {
  const machine = machines[at];
  if (machine === undefined) throw new Error(`there is no machine ${at}`);
  const { first } = await machine.processes.start<Up>(["dashboard", "--no-open"]);
  return loggedIn(first);
}

const isCompleted = (event: ServerEvent): boolean =>
  event.type === "live" && event.item.type === "step_completed";

it("any gateway shows, follows and steers a thread of any", async () => {
  const [one, other] = [await page(0), await page(1)];
  const prompt = JSON.stringify({ steps: 3, suspendAt: 2 });
  const { value: started } = await ask(one, "startThread", { body: { workflow: "steps", prompt } });
  const { threadId } = started;
  const path = { id: threadId };
  const [here, there] = [watch(one, threadId), watch(other, threadId)];

  await expect
    .poll(async () => (await ask(other, "inbox", {})).value.threads.map((row) => row.threadId))
    .toEqual([threadId]);
  const { value: seen } = await ask(other, "listThreads", {});
  expect(seen.threads).toMatchObject([{ threadId, status: "suspended" }]);
  const { value: head, etag } = await ask(other, "showThread", { path });
  expect((await ask(one, "showThread", { path })).value).toEqual(head);

  const answer = { client: "local", path, body: { answer: "yes" }, ifMatch: etag ?? "" };
  expect(await call(other, "resumeThread", answer)).toMatchObject({ ok: true });
  // Who answers second is told so: it runs already, or has gone on since.
  const late = await call(one, "resumeThread", answer);
  expect([409, 412]).toContain(late.ok ? 0 : late.error.status);

  await Promise.all([here.watching, there.watching]);
  for (const { seqs, events } of [here, there]) {
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
    expect(events.filter(isCompleted)).toHaveLength(4);
  }
  const threads = [one, other].map((at) => ask(at, "showThread", { path }));
  const [ended, same] = (await Promise.all(threads)).map(({ value }) => value);
  expect(ended).toMatchObject({ status: "completed", stepCount: 4 });
  expect(same).toEqual(ended);
});
