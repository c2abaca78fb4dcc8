/** What an agent did, as far as it fits a line. `tool_start`: a tool was called; `result`: a tool or a step returned;
 *  `error`: a tool, a permission or the agent itself failed. */
export type Activity = {
  type: "tool_start" | "text" | "result" | "error";
  role: string;
  /** 1-based. */
  round: number;
  /** Name of the tool; null: of none. */
  tool: string | null;
  /** What was said, given or returned; a long text is cut. */
  text: string;
  /** When it began. Unix milliseconds. */
  timestamp: number;
};

/** What the step under way does. */
export type ThreadActivity = {
  role: string;
  round: number;
  /** As the agent calls itself; null: it has not said so yet. */
  agent: string | null;
  /** When the step began. Unix milliseconds. */
  since: number;
  /** The text that is being said, or the tool that has not returned; null: neither. */
  current: Activity | null;
  /** The latest ten of the thread, oldest first. */
  recent: Activity[];
};
