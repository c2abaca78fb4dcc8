/** Layout of help: lines break between words, however narrow the terminal is. */
import { Help, type Command as Parser } from "commander";

/** A narrower description is hard to read next to what it describes, and goes below it. */
const MIN_DESCRIPTION_COLUMNS = 30;
const INDENT = "  ";
const BELOW = INDENT.repeat(3);

export const HELP_LAYOUT: Partial<Help> = { minWidthToWrap: 1, formatItem };

/** Paragraphs for the end of the help, wrapped to the width of the help's output. */
export function footer(text: string): (shown: { error: boolean; command: Parser }) => string {
  return ({ error, command }) => {
    const { getErrHelpWidth, getOutHelpWidth } = command.configureOutput();
    const columns = (error ? getErrHelpWidth : getOutHelpWidth)?.() ?? DEFAULT_COLUMNS;
    return command.createHelp().boxWrap(text, columns);
  };
}

/** For help that goes to a file or a pipe. */
const DEFAULT_COLUMNS = 80;

function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  const columns = helper.helpWidth ?? DEFAULT_COLUMNS;
  const beside = columns - termWidth - 2 * INDENT.length;
  if (beside >= MIN_DESCRIPTION_COLUMNS || description === "") {
    return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
  }
  const lines = helper.boxWrap(description, columns - BELOW.length).split("\n");
  return [INDENT + term, ...lines.map((line) => BELOW + line)].join("\n");
}
