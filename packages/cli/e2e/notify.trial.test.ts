/** What the built host tells listeners, even across its own death. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Notice } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { type Hosted, hosted } from "./hosted.test.helper.ts";

const APPROVAL = `
description: A person approves.
roles:
  approver:
    by: person
    goal: Decide whether it is good.
    output: { type: object, properties: { status: { enum: [approved, changes] } }, required: [status] }
graph:
  $START: { new: { role: approver, prompt: "Is this good?" } }
  approver: { approved: $END, changes: $END }
`;

type Told = { id: string; notice: Notice };

let cli: Cli;
let server: Server;
let told: Told[];
/** How the server handles a request; the default is 204. */
let next: ((response: ServerResponse) => void)[];
let onTold: () => void;
let host: Hosted;

beforeAll(async () => {
  told = [];
  next = [];
  onTold = () => undefined;
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    told.push({ id: String(request.headers["webhook-id"]), notice: JSON.parse(body) });
    const act = next.shift() ?? ((given: ServerResponse) => given.writeHead(204).end());
    act(response);
    onTold();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  cli = openCli();
  host = hosted(cli);
  mkdirSync(cli.root, { recursive: true });
  const notify = { team: { url: `http://127.0.0.1:${port}/`, secret: "s" } };
  const config = { notify };
  writeFileSync(join(cli.root, "workflow.yaml"), JSON.stringify({ config }), { mode: 0o600 });
  writeFileSync(join(cli.dir, "approval.yaml"), APPROVAL);
  await cli.json(["workflow", "add", "approval", "approval.yaml"]);
});
afterAll(async () => {
  await cli.run(["down"]);
  await cli.close();
  server.closeAllConnections();
  server.close();
});

/** Resolves once the server has received this many requests. */
async function untilTold(times: number): Promise<void> {
  while (told.length < times) {
    const { promise, resolve } = Promise.withResolvers<void>();
    onTold = resolve;
    await promise;
  }
}

type Status = { notify: { listener: string; notices: number; fault: string | null }[] };

it("delivers at least once, whatever fails, dies or is down at the time", async () => {
  await host.up();
  next = [(response) => response.writeHead(503).end()];
  const first = await asks();
  await untilTold(2);
  expect(told.map(({ id }) => id)).toEqual([told[0]?.id, told[0]?.id]);
  expect(told[1]?.notice).toMatchObject({
    ...{ event: "waits", threadId: first, workflow: "approval", title: "good?" },
    wait: { kind: "person", role: "approver", message: "Is this good?" },
  });

  // Delivered, but the host is killed before it learns that.
  const { promise: hangs, resolve: onHang } = Promise.withResolvers<void>();
  next = [() => onHang()];
  const second = await asks();
  await hangs;
  await host.kill();
  expect((await cli.json<Status>(["status"])).notify).toMatchObject([
    { listener: "team", notices: 1, fault: null },
  ]);
  // This happens while no host is up.
  await cli.json(["answer", first, "status=approved", "--wait"]);
  expect(told).toHaveLength(3);
  const doctor = await cli.run(["doctor"]);
  expect(doctor.stdout).toContain("team has 2 pending notices");
  await host.up();
  await untilTold(5);
  expect(told[3]?.id).toBe(told[2]?.id);
  expect(told[3]?.notice.threadId).toBe(second);
  expect(told[4]?.notice).toMatchObject({
    ...{ event: "completed", threadId: first, wait: null },
    ending: { status: "completed", returnCode: 0 },
  });
});

async function asks(): Promise<string> {
  const words = ["--json", "run", "approval", "--prompt", "good?", "--wait"];
  const { code, stdout } = await cli.run(words);
  expect(code).toBe(7);
  const { threadId }: { threadId: string } = JSON.parse(stdout);
  return threadId;
}
