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
    | "META_FIELD_HIDDEN"
    | "FIELD_UNKNOWN"
    | "FIELD_UNDECLARED";
  /** A fault is wrong for every thread; a warning is worth a look. */
  level: "fault" | "warning";
  /** `table.coder[1]`, `table.coder[1].when`, `roles.coder`, `limits.steps` or `result`. */
  place: string;
  message: string;
  /** For `FIELD_…`: the field as written in the expression: `last.meta.stats`. */
  field?: string;
};
