import type { JsonValue } from "./json.ts";
import type { ToolKind } from "./tool-policy.ts";

/** One call of a tool that the engine itself saw, as an adapter reports it. Stored, with its secrets taken out
 *  and its texts shortened, as the JSON text of a content node whose hash is on the step. */
export type ToolCallRecord = {
  id: string;
  /** The agent's own name of the tool. */
  name: string;
  kind: ToolKind;
  /** What the call was about: see `ToolRule.input`. */
  subject: string;
  input: JsonValue;
  /** What the tool gave back, as text. */
  output: string;
  ok: boolean;
  /** Of `execute`, when the agent reports it. */
  exitCode: number | null;
  durationMs: number | null;
  /** Unix milliseconds at which the call ended. */
  timestamp: number;
};

/** What has to be seen before a role's result counts: `{ name: "tests", kind: "execute", input: "npm test",
 *  after: "last_edit" }`. A call fits when it succeeded (of `execute`: exited 0) and its subject matches. */
export type EvidenceRequirement = {
  /** For the message to the agent and for the record. */
  name: string;
  kind: ToolKind;
  /** Regular expression over the call's subject. */
  input: string;
  /** `last_edit`: only a call that ended after the last edit, delete or move counts. */
  after?: "last_edit" | undefined;
};
