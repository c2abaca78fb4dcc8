/** The system's processes, read from `/proc` on Linux, else from `ps`. */

import type { ProcessTable } from "./process-row.ts";
import { procTable } from "./process-table-proc.ts";
import { psTable } from "./process-table-ps.ts";

export const processTable: ProcessTable = process.platform === "linux" ? procTable : psTable;
