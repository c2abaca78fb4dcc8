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
  /** Directory that it was made in, absolute; left out when the agent does not tell. */
  cwd?: string | undefined;
  /** Of `execute`: whether it ran in the step's directory, which was looked at when it ended. Of `edit`, `delete` and
   *  `move`: `elsewhere` when all it touched is outside of the step's repository. Left out: `here`. */
  place?: "here" | "elsewhere" | "unknown" | undefined;
  /** Made by an agent that the agent started: its id. */
  subagent?: string | undefined;
  /** The role's policy refused it, so nothing happened. */
  refused?: boolean | undefined;
};

/** What has to be seen before a role's result counts: `{ name: "tests", kind: "execute", command: ["npm", "test"],
 *  after: "last_edit" }`. A call fits when it succeeded (of `execute`: exited 0) and is what `command` or `input` says;
 *  one of both. */
export type EvidenceRequirement = {
  /** For the message to the agent and for the record. */
  name: string;
  kind: ToolKind;
  /** Regular expression over the call's subject. Of `execute`, over one plain command: see `command`. */
  input?: string | undefined;
  /** Of `execute`: the words of the command; `*` as the last one stands for any further words. */
  command?: readonly string[] | undefined;
  /** `last_edit`: only a call counts that began after the last edit, delete or move, or command that may have
   *  changed files, had ended. */
  after?: "last_edit" | undefined;
};
