/** Start-up of the built command beside a bare Node.
 *  Bars: 2 × a bare Node for `--version` and `--help`, 3 × for `cas put`, which writes to disk. */
import { COMMAND, timedRounds } from "./parts/command.mjs";
import { median } from "./parts/median.mjs";
import { ms, printTable } from "./parts/print-table.mjs";
import { withScratchFolder } from "./parts/scratch-folder.mjs";

const ROUNDS = 31;
const BARE = "node -e 0";
const BARS = { "--version": "2 ×", "--help": "2 ×", "cas put": "3 ×" };

await withScratchFolder(async (root) => {
  const cases = {
    [BARE]: { root, args: ["-e", "0"], check: wants("") },
    "--version": { root, args: [COMMAND, "--version"], check: wants(".") },
    "--help": { root, args: [COMMAND, "--help"], check: wants("thread") },
    "cas put": { root, args: [COMMAND, "cas", "put", "hello"], check: wants("\n") },
  };
  timedRounds(cases, 1); // fills the compile cache and makes the storage root
  const times = timedRounds(cases, ROUNDS);
  const base = median(times[BARE]);
  printTable(
    `start-up, median of ${ROUNDS}`,
    Object.entries(times).map(([what, list]) => ({
      what,
      figure: ms(median(list)),
      ...(what === BARE ? {} : { ratio: median(list) / base, bar: BARS[what] }),
    })),
  );
});

function wants(text) {
  return (stdout) => {
    if (!stdout.includes(text))
      throw new Error(`the output lacks ${JSON.stringify(text)}: ${stdout}`);
  };
}
