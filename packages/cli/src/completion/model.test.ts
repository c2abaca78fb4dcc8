import { expect, test } from "vitest";
import { allCommands } from "../command/command-tree.ts";
import { COMMANDS } from "../commands.ts";
import { completionModel } from "./model.ts";
import { completionScript } from "./shells.ts";
import { SHELLS } from "./words.ts";

test("threads, registered workflows and files are offered wherever they are expected", async () => {
  const model = await completionModel(COMMANDS);
  const asked = (await allCommands(COMMANDS)).flatMap(({ path, command }) =>
    command.arguments.map(({ declaration, description }, at) => ({
      word: `${path.join(" ")} ${declaration}`,
      description,
      kind: model.find((place) => place.path.join(" ") === path.join(" "))?.arguments[at],
    })),
  );
  const expected = [
    { pattern: /thread id/, kind: "threads" },
    { pattern: /registered workflow/, kind: "workflows" },
    { pattern: /the bundle that|module that|folder of/, kind: "files" },
  ];
  for (const { pattern, kind } of expected) {
    const found = asked.filter(({ description }) => pattern.test(description));
    expect(found).not.toEqual([]);
    expect(found.filter((each) => each.kind !== kind)).toEqual([]);
  }
});

test("every command is in the script of every shell, and the scripts are for both names", async () => {
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
