import type { Io } from "./io.ts";
import { printableOutput } from "./printable.ts";
import { styleOf } from "./style.ts";
import { duration } from "./times.ts";

/** What is quicker needs no word. */
const QUIET_MS = 1_000;
const EVERY_MS = 500;

/** Says on a terminal what goes on and for how long, when it takes longer than a moment. The line is gone once the
 *  work is done or has failed. `what`: `checking every blob`. */
export async function withProgress<T>(
  io: Pick<Io, "stderr" | "now">,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  if (!io.stderr.isTerminal) return work();
  const { dim, columns } = styleOf(io.stderr);
  const startedMs = io.now();
  let shown = false;
  const timer = setInterval(() => {
    const tookMs = io.now() - startedMs;
    if (tookMs < QUIET_MS) return;
    shown = true;
    const line = `${what} … ${duration(tookMs)}`.slice(0, (columns ?? 80) - 1);
    void io.stderr.write(`${ERASE}${printableOutput(dim(line))}`);
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (shown) await io.stderr.write(ERASE);
  }
}

/** Back to the beginning of the line, which is emptied. */
const ERASE = "\r\u001b[K";
