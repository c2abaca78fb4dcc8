/** docs/telemetry.md, done as it stands there, with a receiver at another port. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { openReceiver, type Receiver } from "./otlp-receiver.test.helper.ts";
import { openShell, type Shell, shownCommands } from "./shell.test.helper.ts";

const PAGE = readFileSync(new URL("../../../docs/telemetry.md", import.meta.url), "utf8");
const SCAFFOLD = fileURLToPath(new URL("../scaffold/minimal/src/workflow.ts", import.meta.url));

let cli: Cli;
let shell: Shell;
let receiver: Receiver;
beforeAll(async () => {
  cli = openCli();
  shell = openShell(cli);
  receiver = await openReceiver();
  const file = join(cli.dir, "demo.esm.js");
  await cli.json(["workflow", "build", SCAFFOLD, "--out", file]);
  await cli.json(["workflow", "add", "demo", file]);
});
afterAll(async () => {
  await receiver.close();
  await cli.close();
});

it("shows commands whose thread the receiver gets to see", async () => {
  const session = shownCommands(PAGE).join("").replace("http://localhost:4318", receiver.endpoint);
  const { code } = await shell.run(session);
  expect(code).toBe(0);
  await receiver.until(({ spans }) => spans.some(({ name }) => name === "thread demo"));
});
