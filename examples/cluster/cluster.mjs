/** `npm run cluster`: what a team runs on several machines, on this one.
 *
 *  It starts PostgreSQL, an S3 server, a bare git remote, a gateway and three workers, each with a storage folder of its
 *  own, as three machines have. Then it starts threads, kills workers with all their processes (SIGKILL) while they work,
 *  starts them again, and waits until all threads have completed. In the end it shows what happened, and verifies all of it.
 *  Everything is in one temporary folder, which is removed at the end, also by Ctrl-C.
 *
 *  Exits with 1 when anything is not as it should be, with 2 for words that it does not know. */
import { parseArgs } from "node:util";
import { play } from "./parts/play.mjs";
import { onStage } from "./parts/stage.mjs";

const USAGE = `Usage: npm run cluster -- [--short] [--threads <n>] [--kills <n>] [--keep]

  --threads <n>  how many threads (default: 30)
  --kills <n>    how many times a worker is killed (default: 9)
  --short        6 threads and 2 kills
  --keep         leaves the folder, to look at`;

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        threads: { type: "string" },
        kills: { type: "string" },
        short: { type: "boolean", default: false },
        keep: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    const number = (name, usual) => {
      const text = values[name] ?? String(usual);
      if (!/^\d{1,4}$/.test(text)) throw new Error(`--${name} wants a whole number, not ${text}`);
      return Number(text);
    };
    const [threads, kills] = values.short ? [6, 2] : [30, 9];
    return {
      help: values.help,
      keep: values.keep,
      threads: number("threads", threads),
      kills: number("kills", kills),
    };
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    return null;
  }
}

const wanted = readArguments();
if (wanted === null) process.exitCode = 2;
else if (wanted.help) console.log(USAGE);
else process.exitCode = await onStage(wanted, play);
