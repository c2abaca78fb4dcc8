/** What a tool does, whatever its agent calls it: the kinds of the Agent Client Protocol. */
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

/** Holds for a call that fits all that it names; one of `kind` and `name` at least. A rule on a command line (`input`
 *  or `command` for a call of kind `execute`) that allows fits one plain command only; one that denies fits any command
 *  of the line, and refuses a line that cannot be read. */
export type ToolRule = {
  kind?: ToolKind | undefined;
  /** The agent's own name of the tool; `*` stands for any characters. */
  name?: string | undefined;
  /** Regular expression that has to match somewhere in the call's subject: the command line of `execute`,
   *  the path of `read`, `edit`, `delete` and `move`, the address of `fetch`, the input as JSON of others. */
  input?: string | undefined;
  /** Of `execute`: the words of the command. To allow: all of them, `*` as the last one stands for any further words.
   *  To deny: its first words. */
  command?: readonly string[] | undefined;
};

/** Which tools a role may use. A call that a `deny` rule fits is refused; else, with `allow`, one that no
 *  `allow` rule fits is refused too. Where a rule denies edits, a call of kind `other` is refused unless an `allow` rule
 *  names it: nobody knows that it writes nothing. */
export type ToolPolicy = {
  allow?: readonly ToolRule[] | undefined;
  deny?: readonly ToolRule[] | undefined;
};
