/** What a tool does, whatever its agent calls it: the tool kinds of the Agent Client Protocol. */
export const TOOL_KINDS = [
  "read",
  "search",
  "edit",
  "delete",
  "move",
  "execute",
  "fetch",
  "think",
  "other",
] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** Matches a call that fits every field given; at least one of `kind` and `name` must be. For command lines (`input`
 *  or `command` on a call of kind `execute`), an allow rule matches one plain command only; a deny rule matches any
 *  command of the line, and refuses a line that cannot be parsed. */
export type ToolRule = {
  kind?: ToolKind | undefined;
  /** The agent's own name for the tool; `*` stands for any characters. */
  name?: string | undefined;
  /** Regular expression that must match somewhere in the call's subject: the command line of `execute`, the path of
   *  `read`, `edit`, `delete` and `move`, the address of `fetch`, the input as JSON for other kinds. */
  input?: string | undefined;
  /** For `execute`: the words of the command. To allow: all of them; a final `*` stands for any further words. To
   *  deny: its first words. */
  command?: readonly string[] | undefined;
};

/** Which tools a role may use. A call that matches a `deny` rule is refused; otherwise a call that matches an `ask` rule is
 *  put to a person, and matched as broadly as by a `deny` rule; otherwise, if there are `allow` rules,
 *  a call that matches none of them is refused too. Where a rule denies edits, a call of kind `other` is refused
 *  unless an `allow` rule names it: nobody can know that it writes nothing. */
export type ToolPolicy = {
  allow?: readonly ToolRule[] | undefined;
  deny?: readonly ToolRule[] | undefined;
  ask?: readonly ToolRule[] | undefined;
  /** `false`: commands that the agent runs reach no network but their own loopback; calls of kind `fetch` and searches of the
   *  web are refused, and calls of kind `other` that no `allow` rule names. An agent that cannot keep this does not play
   *  the role. Default: as the agent and its machine have it. */
  network?: boolean | undefined;
  /** After this time without an answer the call is refused. Milliseconds; default: an hour. */
  askTimeoutMs?: number | undefined;
};
