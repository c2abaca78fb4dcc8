/** Imported before anything else: the clock of this process is ahead by FAULTS_CLOCK_MS, and so are those of the processes
 *  that it starts with the Node that it is. Each leaves a note of that, beside the storage root. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";

const { FAULTS_CLOCK_MS, FAULTS_NODE, UNCAGED_WORKFLOW_STORAGE_ROOT } = process.env;
const aheadMs = Number(FAULTS_CLOCK_MS);
const Right = Date;

globalThis.Date = class OtherDate extends Right {
  constructor(...given) {
    if (given.length === 0) super(OtherDate.now());
    else super(...given);
  }

  static now() {
    return Right.now() + aheadMs;
  }
};

appendFileSync(join(UNCAGED_WORKFLOW_STORAGE_ROOT, "..", "other-clock"), `${process.pid}\n`);
process.execPath = FAULTS_NODE;
