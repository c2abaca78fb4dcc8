/** Sends the calls of docs/gateway.md to the letter, but for the gateway's address. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { openShell, shownCommands } from "./shell.test.helper.ts";
import { type Staying, staying } from "./staying.test.helper.ts";
import { untilThread } from "./until-thread.test.helper.ts";

const PAGE = readFileSync(new URL("../../../docs/gateway.md", import.meta.url), "utf8");

let cli: Cli;
let processes: Staying;
beforeAll(async () => {
  cli = openCli();
  processes = staying(cli);
  await cli.addSteps("demo");
});
afterAll(async () => {
  await processes.end();
  await cli.close();
});

it("shows calls that list threads and start one, once for a key", async () => {
  const add = (...args: string[]) =>
    cli.json<{ token: string }>(["gateway", "token", "add", ...args]);
  const { token: engine } = await add("laptop", "--engine");
  const { token } = await add("ada");
  const gateway = await processes.start<{ origin: string }>(["gateway", "--port", "0"]);
  const { origin } = gateway.first;
  await processes.start(["connect", "--gateway", origin], { UNCAGED_GATEWAY_TOKEN: engine });
  // The gateway says that it is there.
  await gateway.lines.next();

  const calls = shownCommands(PAGE).map((each) =>
    each.replaceAll("https://flows.example.com", origin),
  );
  expect(calls).toHaveLength(2);
  const shell = openShell(cli);
  const sent = async (script: string) => {
    const { code, stdout, stderr } = await shell.run(script, { TOKEN: token });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout);
  };
  const [list = "", start = ""] = calls;
  expect(await sent(list)).toEqual({ threads: [], next: null });
  const { threadId } = await sent(start);
  expect(await sent(start)).toMatchObject({ threadId });
  await untilThread(cli.root, threadId, ({ status }) => status === "completed");
});
