import type { JsonValue } from "@uncaged/workflow-protocol";
import { printable } from "../../terminal/printable.ts";

/** What a workflow returned, for people: a text as it is, anything else as JSON. */
export function resultText(value: JsonValue): string {
  return printable(typeof value === "string" ? value : JSON.stringify(value, null, 2));
}
