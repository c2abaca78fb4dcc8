import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { EngineTool, JsonValue } from "@uncaged/workflow-protocol";
import { expect, it } from "vitest";
import { lendTools, redactedTool } from "./lend-tools.ts";

/** What it is called with. */
const calls: JsonValue[] = [];
const tool: EngineTool = {
  ...{ name: "worker_spawn", description: "Starts one.", readOnly: false },
  parameters: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
  async call(input) {
    calls.push(input);
    return { text: "Not done: no room.", ok: false };
  },
};

it("an agent's program reaches the tools until the step is over, and no longer", async () => {
  const lent = await lendTools([redactedTool(tool, (text) => text.replaceAll("hunter2", "[KEY]"))]);
  const { command, args } = lent.server;
  const bridge = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const answers = createInterface({ input: bridge.stdout })[Symbol.asyncIterator]();
  const say = (message: object): void => {
    bridge.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  };
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    say({ id, method, params });
    const { value } = await answers.next();
    return JSON.parse(value);
  };
  const hello = {
    ...{ protocolVersion: "2025-06-18", capabilities: {} },
    clientInfo: { name: "agent", version: "1" },
  };
  expect(await ask(1, "initialize", hello)).toMatchObject({ result: { capabilities: {} } });
  say({ method: "notifications/initialized" });
  expect(await ask(2, "tools/list", {})).toMatchObject({
    result: { tools: [{ name: "worker_spawn", annotations: { readOnlyHint: false } }] },
  });
  const call = { name: "worker_spawn", arguments: { title: "with hunter2" } };
  expect(await ask(3, "tools/call", call)).toMatchObject({
    result: { content: [{ type: "text", text: "Not done: no room." }], isError: true },
  });
  expect(calls).toEqual([{ title: "with [KEY]" }]);
  expect(await ask(4, "tools/call", { name: "worker_spawn", arguments: {} })).toMatchObject({
    id: 4,
  });
  expect(calls).toHaveLength(1);
  const ended = once(bridge, "exit");
  await lent.close();
  await ended;
  const socket = args.at(-1) ?? "";
  expect(existsSync(socket)).toBe(false);
  const late = spawn(command, args, { stdio: ["ignore", "ignore", "ignore"] });
  expect(await once(late, "exit")).toEqual([1, null]);
});
