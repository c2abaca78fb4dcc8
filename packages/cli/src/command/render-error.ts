import { type Failure, failure, failureFrom } from "@uncaged/workflow-protocol";
import { printable } from "../terminal/printable.ts";
import type { Style } from "../terminal/style.ts";
import { escaped } from "./json-pieces.ts";
import { systemFault } from "./system-fault.ts";

/** A failure as shown on stderr: one JSON document, or what happened and what to do next. */
export function renderFailure(reason: Failure, shown: { json: boolean; style: Style }): string {
  const { code, message, hint } = reason;
  if (shown.json) return `${escaped(JSON.stringify({ error: { code, message, hint } }))}\n`;
  const { red, dim } = shown.style;
  const lines = [`${red("error:")} ${printable(message)} ${dim(`[${code}]`)}`];
  if (hint !== "") lines.push(`${dim("hint:")} ${printable(hint)}`);
  return `${lines.join("\n")}\n`;
}

/** Turns what a command threw into a failure. Anything but our own errors and the system's is a defect: the failure
 *  says where it happened. */
export function failureOfThrown(thrown: unknown): Failure {
  const reason = failureFrom(thrown, "INTERNAL");
  if (reason.code !== "INTERNAL") return reason;
  const fault = systemFault(thrown);
  if (fault !== null) return fault;
  return failure("INTERNAL", `${reason.message}${placeOf(thrown)}`, REPORT);
}

const REPORT =
  "this is a bug in uncaged-workflow: please report it with this message, the command, and the output of: uncaged-workflow doctor";

function placeOf(thrown: unknown): string {
  const frame = thrown instanceof Error ? /^\s+at .*$/m.exec(thrown.stack ?? "")?.[0] : undefined;
  return frame === undefined ? "" : ` (${frame.trim()})`;
}
