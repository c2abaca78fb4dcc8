import { isErrorCode } from "@uncaged/workflow-protocol";
import { expect, test } from "vitest";
import { allCommands } from "../command/command-tree.ts";
import { COMMANDS } from "../commands.ts";
import { skillText } from "./skill.ts";
import { strangeCalls } from "./strange-calls.test.helper.ts";
import { TOPICS, type Topic } from "./topics.ts";

async function textOf(topic: Topic): Promise<string> {
  const { value } = await skillText(topic, COMMANDS);
  return "verbatim" in value ? value.verbatim : "";
}

test.each(TOPICS)("the skill %s names only commands and options that exist", async (topic) => {
  expect(strangeCalls(await textOf(topic), await allCommands(COMMANDS))).toEqual([]);
});

test.each(TOPICS)("the skill %s names only error codes that exist", async (topic) => {
  const codes = [...(await textOf(topic)).matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(
    ([, code = ""]) => code,
  );
  expect(codes.filter((code) => !isErrorCode(code) && !code.startsWith("UNCAGED_"))).toEqual([]);
});

test("the skill of the command line has every command and exit code, from the program itself", async () => {
  const text = await textOf("cli");
  for (const { path } of await allCommands(COMMANDS)) {
    expect(text).toContain(`- \`uncaged-workflow ${path.join(" ")}`);
  }
  expect(text).toContain("| 130 |");
  expect(text).not.toContain("<!--");
});
