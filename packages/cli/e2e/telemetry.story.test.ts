/** What a receiver of OTLP gets to see, by the built command. */

import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { killHard } from "./kill-hard.test.helper.ts";
import { openReceiver, type ReceivedSpan, type Receiver } from "./otlp-receiver.test.helper.ts";
import { SMALL, TRACED } from "./traced-workflow.ts";
import { ownerOf, untilThread } from "./until-thread.test.helper.ts";

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  // For the folder with zod.
  await cli.addSteps("steps");
  for (const [name, source] of [
    ["traced", TRACED],
    ["small", SMALL],
  ] as const) {
    const file = join(cli.dir, "flow", `${name}.mjs`);
    writeFileSync(file, source);
    await cli.json(["workflow", "build", file]);
    await cli.json(["workflow", "add", name, join(cli.dir, "flow", "dist", `${name}.esm.js`)]);
  }
}, 120_000);
afterAll(() => cli.close());

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.close());

const told = (): Record<string, string> => ({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });

async function started(plan: object, ...more: string[]): Promise<string> {
  const words = ["run", "traced", "-p", JSON.stringify(plan), ...more];
  return (await cli.json<{ threadId: string }>(words, { env: told() })).threadId;
}

function named(name: string): ReceivedSpan[] {
  return receiver.spans.filter((span) => span.name === name);
}

const gotThread = (): Promise<void> => receiver.until(() => named("thread traced").length > 0);

describe("a trace", () => {
  it("leads from the thread to its steps, turns and calls, to members and child threads", async () => {
    const threadId = await started({}, "--wait");
    await gotThread();
    await receiver.until(() => named("thread small").length > 0);
    const [thread] = named("thread traced");
    expect(thread).toMatchObject({
      kind: 1,
      attributes: {
        "uncaged.thread.id": threadId,
        "uncaged.status": "completed",
        "gen_ai.usage.input_tokens": 33,
      },
    });
    expect(thread?.parentSpanId).toBeUndefined();
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);

    const [planner] = named("step planner");
    expect(planner).toMatchObject({
      parentSpanId: thread?.spanId,
      attributes: { "uncaged.role": "planner", "uncaged.round": 1, "uncaged.outcome": "ok" },
    });
    const turns = named("invoke_agent sample-agent");
    expect(turns).toHaveLength(3);
    const turn = turns.find(({ parentSpanId }) => parentSpanId === planner?.spanId);
    expect(turn).toMatchObject({
      kind: 3,
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "sample-agent",
        "gen_ai.response.model": "sample-model",
        "gen_ai.conversation.id": "session-1",
        "gen_ai.usage.input_tokens": 11,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.response.finish_reasons": ["stop"],
      },
    });
    const calls = named("execute_tool read_file");
    expect(calls).toHaveLength(3);
    expect(calls.find(({ parentSpanId }) => parentSpanId === turn?.spanId)).toMatchObject({
      attributes: { "gen_ai.tool.name": "read_file", "gen_ai.tool.call.id": "call-1" },
    });

    const members = named("step reviewer");
    expect(members.map(({ attributes }) => attributes["uncaged.group.index"]).sort()).toEqual([
      0, 1,
    ]);
    for (const member of members)
      expect(member.links).toMatchObject([{ spanId: planner?.spanId, traceId: planner?.traceId }]);

    const [helper] = named("step helper");
    const [child] = named("thread small");
    expect(helper?.links).toMatchObject([{ spanId: child?.spanId }]);
    expect(child?.parentSpanId).toBe(thread?.spanId);
    expect(named("step doer")[0]?.parentSpanId).toBe(child?.spanId);
    for (const { startTimeUnixNano, endTimeUnixNano } of receiver.spans)
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
  });

  it("says nothing that was said, and hands the step's place to agents", async () => {
    const threadId = await started({ note: "a plan for nobody" }, "--wait");
    await gotThread();
    const everything = JSON.stringify([receiver.spans, receiver.points]);
    expect(everything).not.toMatch(/a plan for nobody|secret-plans|ghp_/);
    const [planner] = named("step planner");
    const view = await cli.json<ThreadView>(["show", threadId]);
    expect(JSON.stringify(view)).toContain(
      `traceparent 00-${planner?.traceId}-${planner?.spanId}-01`,
    );
  });

  it("continues where another runner takes over, and has each completed step once", async () => {
    const threadId = await started({ gate: "gate-1" });
    await untilThread(cli.root, threadId, ({ status }) => status === "running");
    const { stdout } = await cli.run(["show", threadId, "--json"]);
    expect(stdout).toContain(threadId);
    await killHard(await ownerOf(cli.root, threadId));
    expect(named("step planner")).toEqual([]);
    writeFileSync(join(cli.dir, "gate-1"), "");
    await cli.json(["resume", threadId, "--wait"], { env: told() });
    await gotThread();
    expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const name of ["thread traced", "step planner", "step helper"])
      expect(named(name), name).toHaveLength(1);
    const ids = receiver.spans.map(({ spanId }) => spanId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("shows an attempt that was stopped, and a thread that failed", async () => {
    const threadId = await started({ gate: "gate-2" });
    await cli.json(["thread", "stop", threadId]);
    await receiver.until(() => named("step planner").length > 0);
    expect(named("step planner")).toMatchObject([
      { status: { code: 2 }, attributes: { "uncaged.outcome": "cut_off" } },
    ]);
    writeFileSync(join(cli.dir, "gate-2"), "");
    await cli.json(["resume", threadId, "--wait"], { env: told() });
    await gotThread();
    const [attempt, done] = named("step planner");
    expect(done).toMatchObject({ traceId: attempt?.traceId, status: {} });
    expect(done?.spanId).not.toBe(attempt?.spanId);

    await cli.run(["run", "small", "-p", "break", "--wait"], { env: told() });
    await receiver.until(() => named("thread small").some(({ status }) => status.code === 2));
    await receiver.until(({ points }) =>
      points.some(
        ({ metric, attributes }) =>
          metric === "uncaged.failures" && attributes["error.type"] === "AGENT_FAILED",
      ),
    );
  });

  it("has words only if the configuration says so, and then no secrets", async () => {
    const config = join(cli.root, "workflow.yaml");
    const before = readFileSync(config, "utf8");
    const lines = `  telemetry: { endpoint: "${receiver.endpoint}", content: true }\n`;
    writeFileSync(
      config,
      /^config:/m.test(before)
        ? before.replace(/^config:.*\n/m, (line) => `${line}${lines}`)
        : `${before}config:\n${lines}`,
    );
    try {
      await cli.json(["run", "traced", "-p", "{}", "--wait"]);
      await gotThread();
      const everything = JSON.stringify(receiver.spans);
      expect(everything).toContain("secret-plans.txt");
      expect(everything).toContain("traceparent 00-");
      expect(everything).not.toContain("ghp_Ab1");
    } finally {
      writeFileSync(config, before);
    }
  });
});

describe("metrics", () => {
  it("count steps, tokens and cost, and how long the store takes", async () => {
    await started({}, "--wait");
    await receiver.until(({ points }) => points.some(({ metric }) => metric === "uncaged.cost"));
    const sum = (metric: string, about: object = {}): number =>
      receiver.points
        .filter((point) => point.metric === metric)
        .filter(({ attributes }) =>
          Object.entries(about).every(([key, value]) => attributes[key] === value),
        )
        .reduce((total, { value }) => total + value, 0);
    expect(sum("uncaged.steps", { "uncaged.role": "reviewer" })).toBe(2);
    expect(sum("gen_ai.client.token.usage", { "gen_ai.token.type": "input" })).toBe(33);
    expect(sum("gen_ai.client.token.usage", { "gen_ai.token.type": "output" })).toBe(21);
    expect(sum("uncaged.cost")).toBeCloseTo(0.75);
    expect(sum("uncaged.store.duration", { "uncaged.operation": "publish" })).toBeGreaterThan(0);

    await cli.run(["run", "steps", "-p", '{"steps":3}', "--max-steps", "1", "--wait"], {
      env: told(),
    });
    await receiver.until(({ points }) =>
      points.some(
        ({ metric, attributes }) =>
          metric === "uncaged.limits.reached" && attributes["uncaged.limit"] === "steps",
      ),
    );
    await cli.run(["thread", "kill", "--all", "--yes"]);
  });

  it("of the host say how many threads have each status, and what is waited for", async () => {
    const asking = await cli
      .json<{ threadId: string }>([
        ...["run", "steps", "-p", '{"steps":2,"suspendAt":1}', "--wait"],
      ])
      .catch(() => null);
    expect(asking).toBe(null);
    const env = { ...told(), OTEL_METRIC_EXPORT_INTERVAL: "200" };
    const up = cli.run(["up"], { env });
    await receiver.until(({ points }) =>
      ["uncaged.threads", "uncaged.waits"].every((name) =>
        points.some(({ metric }) => metric === name),
      ),
    );
    const latest = receiver.points.findLast(
      ({ metric, attributes }) =>
        metric === "uncaged.threads" && attributes["uncaged.status"] === "suspended",
    );
    expect(latest?.value).toBe(1);
    // There are threads that have ended, and there may be any number of them.
    const statuses = receiver.points
      .filter(({ metric }) => metric === "uncaged.threads")
      .map(({ attributes }) => attributes["uncaged.status"]);
    expect(statuses).not.toContain("completed");
    expect(receiver.points.find(({ metric }) => metric === "uncaged.waits")?.attributes).toEqual({
      "uncaged.wait": "answer",
    });
    // Threads that it carries are seen, too.
    const { threadId } = await cli.json<{ threadId: string }>([
      ...["run", "traced", "-p", "{}", "--wait"],
    ]);
    await gotThread();
    expect(named("thread traced")[0]?.attributes["uncaged.thread.id"]).toBe(threadId);
    await cli.run(["down"]);
    await up;
  });
});

describe("a receiver that is of no use", () => {
  it.each(["is not there", "does not answer", "refuses everything", "has no address"])(
    "that %s holds up no thread",
    async (how) => {
      const silent = await openReceiver(false);
      const rude = createServer((_request, response) => response.writeHead(503).end());
      await new Promise<void>((resolve) => rude.listen(0, "127.0.0.1", resolve));
      const { port } = rude.address() as AddressInfo;
      const endpoint =
        {
          "is not there": "http://127.0.0.1:1",
          "does not answer": silent.endpoint,
          "refuses everything": `http://127.0.0.1:${port}`,
        }[how] ?? "::: no address";
      const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
      const done = await cli.json(["run", "traced", "-p", "{}", "--wait"], { env });
      expect(done).toMatchObject({ status: "completed", returnCode: 0 });
      const idle = await cli.json<{ threadId: string }>(["run", "small", "-p", "x", "--idle"]);
      const ran = await cli.json(["thread", "exec", idle.threadId], { env });
      expect(ran).toMatchObject({ status: "completed" });
      await silent.close();
      rude.closeAllConnections();
      await new Promise((resolve) => rude.close(resolve));
    },
  );
});
