import { Command as Parser } from "commander";
import { expect, it } from "vitest";
import { footer, HELP_LAYOUT } from "./help-layout.ts";

function helpAt(columns: number): string {
  let said = "";
  const parser = new Parser("demo")
    .configureHelp(HELP_LAYOUT)
    .configureOutput({
      writeOut: (text) => {
        said += text;
      },
      getOutHelpWidth: () => columns,
    })
    .description("A description with enough words to fill more than one line of a terminal.")
    .option(
      "--an-option-of-some-length <number>",
      "what it is for, in many words, so that it is broken",
    )
    .addHelpText(
      "after",
      footer("\nA last paragraph, which also has more words than one line takes."),
    );
  parser.outputHelp();
  return said;
}

it("breaks lines between words, however narrow the terminal is", () => {
  const words = helpAt(200).split(/\s+/);
  for (const columns of [120, 80, 60, 44]) {
    const help = helpAt(columns);
    expect(help.split("\n").filter((line) => line.length > columns)).toEqual([]);
    expect(help.split(/\s+/)).toEqual(words);
  }
});

it("puts a description below its option where there is no room next to it", () => {
  expect(helpAt(60)).toContain(
    "  --an-option-of-some-length <number>\n      what it is for, in many words,",
  );
});
