import type { ToolKind } from "@uncaged/workflow-protocol";

/** A way to log in by the protocol. */
type AuthChoice = {
  method: string;
  /** Variable that has to be set; null: a login file has to be there. */
  variable: string | null;
};

/** A file of the user's own configuration in which a login is kept. */
type LoginFile = {
  /** Under the user's home. */
  from: string;
  /** Under the private folder. */
  to: string;
};

export type AcpPreset = {
  command: string;
  args: readonly string[];
  /** What lets the agent start with a model; null: asked for by the protocol. */
  modelFlag: string | null;
  /** Keys and endpoints that it reads. */
  passEnv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Set when the role has a tool policy or required evidence: nothing in the project or the user's settings may answer for us. */
  policyEnv: Readonly<Record<string, string>>;
  /** Goes with a new or loaded session. */
  sessionMeta: Readonly<Record<string, unknown>>;
  /** Instead, when the role has a tool policy or required evidence. */
  policyMeta: Readonly<Record<string, unknown>>;
  /** Variables that move its configuration, and the folder of each under the private one. */
  homes: Readonly<Record<string, string>>;
  logins: readonly LoginFile[];
  /** What a session needs under the private folder: see `AgentDriver.keeps`. */
  sessions: readonly string[];
  /** Each of its commands begins in the session's directory, unless the call names another. */
  freshShells: boolean;
  /** Its own tools, by name, that change nothing though it calls them `other`. */
  harmless: readonly string[];
  /** Files of its configuration, under the private folder: path and text. */
  settings: Readonly<Record<string, string>>;
  auth: readonly AuthChoice[];
  mode: string | null;
  /** Kinds of tools before which it asks. */
  asks: readonly ToolKind[];
  /** What its token counters count. */
  tokens: "turn" | "process";
  /** The title of a call of kind `execute` is its command line, and its input is not told. */
  commandInTitle: boolean;
  /** It ends a turn well in which its model could not be reached, says why in words after `Error: `, and tells of
   *  no tokens. */
  saysErrors: boolean;
  install: string;
  login: string;
};
