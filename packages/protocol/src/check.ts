/** A check: a command that the engine runs itself on the files that an agent left. */

/** Test runners for which the engine knows how to write a test that must fail. */
export const CANARY_PRESETS = [
  "vitest",
  "jest",
  "node:test",
  "mocha",
  "pytest",
  "go test",
  "cargo test",
] as const;

export type CanaryPreset = (typeof CANARY_PRESETS)[number];

/** What an author asks for: `{ command: ["npm", "test"] }`. */
export type CheckRule = {
  /** Program and arguments; no shell. */
  command: readonly string[];
  /** Milliseconds for each run of the command. Default: 10 minutes. */
  timeoutMs?: number | undefined;
  /** Program and arguments that install what the command needs, run on the base. Default: nothing is installed. */
  setup?: readonly string[] | undefined;
  /** More controls, as globs from the root (`e2e/**`): files that say what the command checks. */
  protect?: readonly string[] | undefined;
  /** A test that must fail: for a known runner, one file of the author's own, or `none`. Default: for the runner that
   *  the command, or the `test` script of the base, names. */
  canary?: CanaryPreset | "none" | CanaryFile | undefined;
  /** The command may use the network. Default: no. */
  network?: boolean | undefined;
  /** Variables of the command's environment. */
  variables?: { readonly [name: string]: string } | undefined;
  /** Tracked files that the command may change, as globs. Default: none. */
  writes?: readonly string[] | undefined;
  /** Roles of whom one has to approve a change of a control: a step of it with `approved: true` or `status: "approved"`
   *  in its meta. Default: none, and with the controls of the base the command has to succeed as well. */
  approver?: readonly string[] | undefined;
};

export type CanaryFile = { path: string; content: string };

/** What was seen when the engine ran a check. Stored as the JSON text of a content node. */
export type CheckEvidence = {
  /** Version of this record. */
  check: 1;
  /** Ids of git trees: the files that were checked, and those the agents began with. */
  tree: string;
  base: string;
  command: readonly string[];
  /** SHA-256 (hex) over what else could change the outcome: variables, programs, isolation, the rest of the rule. */
  environment: string;
  isolation: CheckIsolation;
  /** Controls in which the tree differs from the base, sorted; the first thousand. */
  controls: readonly string[];
  /** The tree as it is. */
  clean: CheckRun;
  /** The tree with the controls of the base; null: no control changed, or the clean run failed. */
  controlled: CheckRun | null;
  /** The tree with tests that must fail; null: none known, or an earlier run failed. */
  canary: CheckRun | null;
  /** `unapproved`: accepted when somebody named by the rule approves the changed controls. */
  verdict: "passed" | "unapproved" | "failed";
  /** Why it did not pass; empty when it did. */
  faults: readonly CheckFault[];
};

export type CheckIsolation = {
  by: "bubblewrap" | "unshare" | "none";
  /** `open`: nothing on this machine could take the network away. */
  network: "off" | "allowed" | "open";
};

export type CheckRun = {
  /** The tree that was checked out for this run. */
  tree: string;
  /** Null: ended by a signal. */
  exitCode: number | null;
  timedOut: boolean;
  durationMs: number;
  /** What it printed: bounded, and without secrets. */
  output: string;
  /** Tracked files that it changed and was not allowed to; the first hundred. */
  changed: readonly string[];
};

export type CheckFault = {
  kind: "command_failed" | "controls_changed" | "nothing_tested" | "files_changed" | "link_outside";
  /** One sentence, for the agent. */
  message: string;
};
