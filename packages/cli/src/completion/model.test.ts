import { expect, test } from "vitest";
import { allCommands } from "../command-tree.ts";
import { COMMANDS } from "../commands.ts";
import { completionModel } from "./model.ts";
import { completionScript } from "./shells.ts";
import { SHELLS } from "./words.ts";

test("a word of a new kind is not overlooked: these are the ones that nothing is offered for", async () => {
  const model = await completionModel(COMMANDS);
  const commands = await allCommands(COMMANDS);
  const silent = commands.flatMap(({ path, command }) => {
    const place = model.find((known) => known.path.join(" ") === path.join(" "));
    const declared = [
      ...command.arguments.map(({ declaration }, at) => ({
        word: declaration.slice(1, -1),
        kind: place?.arguments[at],
      })),
      ...command.options.flatMap(({ flags }) => {
        const long = /--[a-z-]+/.exec(flags)?.[0];
        const value = place?.options.find((option) => option.long === long)?.value;
        return [{ word: /<(.+)>/.exec(flags)?.[1] ?? "", kind: value }];
      }),
    ];
    return declared.flatMap(({ word, kind }) => (kind === "any" ? [word] : []));
  });
  expect([...new Set(silent)].sort()).toEqual([
    "content",
    "duration",
    "hash",
    "key",
    "n",
    "role",
    "text",
  ]);
});

test("every command stands in the script of every shell, and the scripts are for both names", async () => {
  const commands = await allCommands(COMMANDS);
  for (const shell of SHELLS) {
    const result = await completionScript(shell, COMMANDS);
    const script = result.ok && "verbatim" in result.value ? result.value.verbatim : "";
    expect(script).toContain("uwf");
    for (const { path, command } of commands) {
      expect(script).toContain(path.join(" "));
      for (const { flags } of command.options) {
        const long = /--([a-z-]+)/.exec(flags)?.[1] ?? "";
        expect(script).toContain(shell === "fish" ? `-l ${long} ` : `--${long}`);
      }
    }
  }
});
