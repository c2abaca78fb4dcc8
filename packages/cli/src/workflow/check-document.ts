import type { TableFinding, ThreadCheck } from "@uncaged/workflow-execute";

/** The `--json` document. */
export type CheckDocument = {
  name: string;
  /** The version that was checked. */
  hash: string;
  ok: boolean;
  /** Of the table by itself. */
  findings: PlacedFinding[];
  /** null: none was asked about. `differing`: those that the version does not leave as they were. */
  threads: { checked: number; compatible: number; differing: ThreadCheck[] } | null;
};

/** Of a YAML file with the line and the column, both from 1, where the file says it. */
export type PlacedFinding = TableFinding & { line?: number; column?: number };
