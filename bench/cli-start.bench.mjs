/** Start-up of the built command beside a bare Node.
 *  Bars: 2 × a bare Node for `--version` and `--help`, 3 × for `cas put`, which writes to disk. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COMMAND, timedRounds } from "./parts/command.mjs";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";

const ROUNDS = 31;
const BARE = "node -e 0";
const BARS = { "--version": "2 ×", "--help": "2 ×", "cas put": "3 ×", "cas put, packed": "3 ×" };

await withScratchFolder(async (folder) => {
  const root = join(folder, "files");
  const packed = packedRoot(join(folder, "packed"));
  const put = [COMMAND, "cas", "put", "hello"];
  const cases = {
    [BARE]: { root, args: ["-e", "0"], check: wants("") },
    "--version": { root, args: [COMMAND, "--version"], check: wants(".") },
    "--help": { root, args: [COMMAND, "--help"], check: wants("thread") },
    "cas put": { root, args: put, check: wants("\n") },
    "cas put, packed": { root: packed, args: put, check: wants("\n") },
  };
  timedRounds(cases, 1); // fills the compile cache and makes the storage roots
  const times = timedRounds(cases, ROUNDS);
  printTable(
    `start-up, median of ${ROUNDS}, ratios within a round`,
    Object.entries(times).map(([what, list]) => ({
      what,
      figure: ms(median(list)),
      ...(what === BARE
        ? {}
        : { ratio: median(list.map((time, at) => time / times[BARE][at])), bar: BARS[what] }),
    })),
  );
});

/** A storage root that keeps its blobs as rows: the command reads that in its configuration. */
function packedRoot(root) {
  mkdirSync(root);
  writeFileSync(join(root, "workflow.yaml"), "config:\n  store: packed\n", { mode: 0o600 });
  return root;
}

function wants(text) {
  return (stdout) => {
    if (!stdout.includes(text))
      throw new Error(`the output lacks ${JSON.stringify(text)}: ${stdout}`);
  };
}
