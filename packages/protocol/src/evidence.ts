import type { CheckRule } from "./check.ts";
import type { JsonValue } from "./json.ts";
import type { ToolKind } from "./tool-policy.ts";

/** One tool call that the engine itself saw, as an adapter reports it. Stored with secrets redacted and texts
 *  shortened, as the JSON text of a content node; the step lists that node's hash. */
export type ToolCallRecord = {
  id: string;
  /** The agent's own name for the tool. */
  name: string;
  kind: ToolKind;
  /** What the call was about: see `ToolRule.input`. */
  subject: string;
  input: JsonValue;
  /** What the tool returned, as text. */
  output: string;
  ok: boolean;
  /** For `execute`, when the agent reports it. */
  exitCode: number | null;
  durationMs: number | null;
  /** Unix milliseconds at which the call ended. */
  timestamp: number;
  /** Absolute directory in which the call ran; left out when the agent does not report it. */
  cwd?: string | undefined;
  /** For `execute`: whether it ran in the step's directory, checked when the call ended. For `edit`, `delete` and
   *  `move`: `elsewhere` when everything it touched is outside the step's repository. Left out: `here`. */
  place?: "here" | "elsewhere" | "unknown" | undefined;
  /** Id of the subagent that made the call, if one did. */
  subagent?: string | undefined;
  /** The role's policy refused the call, so nothing happened. */
  refused?: boolean | undefined;
};

/** What has to be seen before a role's result counts: `{ name: "tests", kind: "execute", command: ["npm", "test"],
 *  after: "last_edit" }`. A call counts when it succeeded (for `execute`: exited 0) and matches `command` or
 *  `input`; exactly one of the two is given. */
export type EvidenceRequirement = {
  /** Shown to the agent and stored in the record. */
  name: string;
  kind: ToolKind;
  /** Regular expression over the call's subject. For `execute`, over one plain command: see `command`. */
  input?: string | undefined;
  /** For `execute`: the words of the command; a final `*` stands for any further words. */
  command?: readonly string[] | undefined;
  /** `last_edit`: only a call counts that began after the end of the last edit, delete or move, or of the last
   *  command that may have changed files. */
  after?: "last_edit" | undefined;
};

/** A command that the engine runs itself, on the files that the role left: `{ check: { command: ["npm", "test"] } }`. */
export type CheckRequirement = { check: CheckRule };

/** What a role has to show before its result counts. */
export type RequiredEvidence = EvidenceRequirement | CheckRequirement;

/** The parts of it that the agent shows by its own calls. */
export function requiredCalls(
  required: readonly RequiredEvidence[] = [],
): readonly EvidenceRequirement[] {
  return required.filter((each): each is EvidenceRequirement => !("check" in each));
}

/** The parts of it that the engine sees to itself. */
export function requiredChecks(
  required: readonly RequiredEvidence[] = [],
): readonly CheckRequirement["check"][] {
  return required.flatMap((each) => ("check" in each ? [each.check] : []));
}
