/** The worked example of docs/provenance.md, run exactly as shown. */
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { openShell, shownCommands } from "./shell.test.helper.ts";

const PAGE = readFileSync(new URL("../../../docs/provenance.md", import.meta.url), "utf8");

let cli: Cli;
beforeAll(async () => {
  cli = openCli();
  await cli.addSteps("steps");
});
afterAll(() => cli.close());

it("shows commands that work one after the other, on two machines", async () => {
  const words = ["run", "steps", "--wait", "--prompt", "{}"];
  const { threadId } = await cli.json<{ threadId: string }>(words);
  // The default storage root of a reader.
  mkdirSync(join(cli.dir, ".uncaged"));
  symlinkSync(cli.root, join(cli.dir, ".uncaged", "workflow"));
  const shell = openShell({ dir: cli.dir, root: cli.root });
  const commands = shownCommands(PAGE);
  expect(commands.length).toBeGreaterThan(3);
  const { code, stdout, stderr } = await shell.run(commands.join(""), { id: threadId.slice(-8) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.match(/^ok: \d+ nodes checked, no problem found$/gm)).toHaveLength(2);
});
