import type { ToolKind } from "@uncaged/workflow-protocol";

/** A login method of the protocol. */
type AuthChoice = {
  method: string;
  /** Variable that must be set; null: a login file must exist. */
  variable: string | null;
};

/** A file in the user's own configuration that stores a login. */
type LoginFile = {
  /** Relative to the user's home. */
  from: string;
  /** Relative to the private folder. */
  to: string;
};

export type AcpPreset = {
  command: string;
  args: readonly string[];
  /** Flag that starts the agent with a model; null: requested by the protocol. */
  modelFlag: string | null;
  /** Keys and endpoints that it reads. */
  passEnv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Set when the role has a tool policy or required evidence: nothing in the project or in the user's settings may
   *  answer in our place. */
  policyEnv: Readonly<Record<string, string>>;
  /** Sent with a new or loaded session. */
  sessionMeta: Readonly<Record<string, unknown>>;
  /** Sent instead when the role has a tool policy or required evidence. */
  policyMeta: Readonly<Record<string, unknown>>;
  /** Variables that move its configuration, and the folder of each below the private one. */
  homes: Readonly<Record<string, string>>;
  logins: readonly LoginFile[];
  /** What a session needs below the private folder: see `AgentDriver.keeps`. */
  sessions: readonly string[];
  /** Each of its commands starts in the session's directory, unless the call names another. */
  freshShells: boolean;
  /** Its own tools, by name, that change nothing although it calls them `other`. */
  harmless: readonly string[];
  /** Files of its configuration, below the private folder: path and text. */
  settings: Readonly<Record<string, string>>;
  /** Flag of a server with the engine's tools, as JSON: it ignores those that a session names. null: it does not. */
  toolServerFlag: string | null;
  /** Arguments that take its tools for sub-agents from it, where it does not ask before it uses them. */
  withoutAgents: readonly string[];
  auth: readonly AuthChoice[];
  mode: string | null;
  /** Kinds of tools before which it asks. */
  asks: readonly ToolKind[];
  /** What its token counters count. */
  tokens: "turn" | "process";
  /** The title of a call of kind `execute` is its command line, and its input is not reported. */
  commandInTitle: boolean;
  /** It reports success for a turn in which its model could not be reached: it says why in words after `Error: `,
   *  and reports no tokens. */
  saysErrors: boolean;
  install: string;
  login: string;
};
