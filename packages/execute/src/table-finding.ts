export type TableFinding = {
  code:
    | "ROLE_UNREACHABLE"
    | "RULE_DEAD"
    | "NO_WAY_OUT"
    | "NO_END"
    | "RULE_SLOW"
    | "LIMIT_TOO_LOW"
    | "LIMIT_DEAD"
    | "RETRY_DEAD"
    | "META_FIELD_HIDDEN";
  /** A fault is wrong whatever the threads; a warning is worth a look. */
  level: "fault" | "warning";
  /** `table.coder[1]`, `roles.coder` or `limits.steps`. */
  place: string;
  message: string;
};
