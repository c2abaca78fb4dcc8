import { EXIT, type ExitCode } from "./exit-codes.ts";

/** Every error code the project reports, with the kind of exit (`EXIT`) of a command that fails with it.
 *  A code never changes its meaning; each has a page `docs/errors/<CODE>.md`. Alphabetical. */
export const ERROR_CODES = {
  AGENT_AUTH: "failure",
  AGENT_CONTEXT_OVERFLOW: "failure",
  AGENT_DENIED: "failure",
  AGENT_FAILED: "failure",
  AGENT_NOT_FOUND: "usage",
  AGENT_RATE_LIMITED: "failure",
  AGENT_TIMEOUT: "failure",
  ANSWER_INVALID: "usage",
  ANSWER_LATE: "invalidTransition",
  ANSWER_REFUSED: "failure",
  ANSWER_TAKEN: "conflict",
  ARTIFACT_MISSING: "failure",
  BACKUP_INVALID: "storage",
  BUILD_FAILED: "failure",
  BUNDLE_DESCRIPTOR_MISMATCH: "failure",
  BUNDLE_EXPORTS: "failure",
  BUNDLE_INVALID: "failure",
  BUNDLE_MISSING: "storage",
  BUNDLE_TAMPERED: "storage",
  BUNDLE_TIMEOUT: "failure",
  BUNDLE_UNRESOLVED: "failure",
  CAS_COLLISION: "storage",
  CAS_CORRUPT: "storage",
  CAS_IN_USE: "conflict",
  CAS_MISSING: "storage",
  CAS_NOT_A_NODE: "storage",
  CAS_STRANGE_FILE: "storage",
  CHAIN_BROKEN: "storage",
  CONFIG_INVALID: "usage",
  DEFINITION_INVALID: "failure",
  EVIDENCE_MISSING: "failure",
  EXPORT_INVALID: "storage",
  EXTERNALS_CHANGED: "failure",
  FILE_NOT_FOUND: "usage",
  HOST_RUNNING: "conflict",
  INSTALL_FAILED: "failure",
  INTERNAL: "failure",
  INVALID_OUTPUT: "failure",
  KEY_INVALID: "usage",
  LEASE_HELD: "conflict",
  LEASE_LOST: "conflict",
  LIMIT_REACHED: "conflict",
  MAX_DEPTH: "failure",
  MODERATOR_FAILED: "failure",
  REGISTRY_BUSY: "conflict",
  RESULT_FAILED: "failure",
  RULE_INVALID: "failure",
  RUNNER_FAILED: "failure",
  SCHEDULE_NOT_FOUND: "failure",
  STORAGE_DAMAGED: "storage",
  STORAGE_FAILED: "storage",
  STORAGE_NEWER: "storage",
  TARGET_EXISTS: "usage",
  THREAD_ABORTED: "aborted",
  THREAD_AMBIGUOUS: "usage",
  THREAD_NOT_FOUND: "failure",
  THREAD_UNFINISHED: "invalidTransition",
  TRANSITION_INVALID: "invalidTransition",
  UNSOUND_WORKFLOW: "failure",
  UPGRADE_REFUSED: "failure",
  USAGE: "usage",
  WORKFLOW_FAILED: "failure",
  WORKFLOW_NOT_FOUND: "failure",
  WORKFLOW_NO_VERSION: "failure",
  YAML_INVALID: "failure",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}

export function exitCodeOf(code: ErrorCode): ExitCode {
  return EXIT[ERROR_CODES[code]];
}
