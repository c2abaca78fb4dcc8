/** Follows docs/threads.md to the letter, with only npm: every command, in order. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Newcomer, openNewcomer } from "./newcomer.test.helper.ts";
import { shownCommands } from "./shell.test.helper.ts";
import { steadyText } from "./steady-text.test.helper.ts";

const PAGE = readFileSync(new URL("../../../docs/threads.md", import.meta.url), "utf8");

let newcomer: Newcomer;
beforeAll(async () => {
  newcomer = await openNewcomer({ ours: "linked" });
}, 300_000);
afterAll(() => newcomer.close());

it("shows commands that work one after the other, and what they print", async () => {
  const commands = shownCommands(PAGE);
  expect(commands.length).toBeGreaterThan(12);
  const printed = steadyText(await newcomer.succeeds(commands.join("")));
  const shown = [...PAGE.matchAll(/^```text\n([\s\S]*?)^```$/gm)];
  expect(shown.length).toBeGreaterThan(1);
  for (const [, output = ""] of shown) expect(printed).toContain(steadyText(output));
  for (const said of [
    "a person said: Begin with good morning",
    "they diverge at step 2",
    "#2 reviewer is the first bad step of <thread>",
    "paused",
    "aborted return code 130",
    "suspended: Whom shall I greet?",
    "raise it with: uncaged-workflow thread resume <thread> --max-steps <n>",
  ])
    expect(printed).toContain(said);
  expect(printed.match(/ok: \d+ nodes checked, no problem found/g)).toHaveLength(2);
}, 400_000);

it("has an example of every command that steers or compares threads", () => {
  const all = shownCommands(PAGE).join("");
  const verbs =
    "exec pause resume stop kill poke fork race diff bisect context show list ps verify";
  for (const verb of verbs.split(" "))
    expect(all).toMatch(new RegExp(`uncaged-workflow thread ${verb}\\b`));
});
