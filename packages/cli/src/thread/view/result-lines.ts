import type { RecordedResult } from "@uncaged/workflow-protocol";
import { printable } from "../../terminal/printable.ts";
import type { Style } from "../../terminal/style.ts";
import { resultText } from "./result-text.ts";

/** The last lines of an ended thread; empty when its workflow has no `result`. */
export function resultLines({ value, error }: RecordedResult, { red, dim }: Style): string[] {
  if (error !== undefined) return [`${red("no result:")} ${printable(error)}`];
  return value === undefined ? [] : [`${dim("result:")}\n${resultText(value)}`];
}
