import { printableOutput } from "../terminal/printable.ts";
import { styleOf } from "../terminal/style.ts";
import { duration } from "../terminal/times.ts";
import type { Io } from "./io.ts";

/** Quicker work needs no message. */
const QUIET_MS = 1_000;
const EVERY_MS = 500;

/** Says on a terminal what is happening and for how long, when it takes more than a moment. The line is erased once
 *  the work is done or has failed. `what`: `checking every blob`, or a
 *  function that says it as of now. */
export async function withProgress<T>(
  io: Pick<Io, "stderr" | "now">,
  what: string | (() => string),
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
    const doing = typeof what === "string" ? what : what();
    const line = `${doing} … ${duration(tookMs)}`.slice(0, (columns ?? 80) - 1);
    void io.stderr.write(`${ERASE}${printableOutput(dim(line))}`);
  }, EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (shown) await io.stderr.write(ERASE);
  }
}

/** Goes back to the beginning of the line and clears it. */
const ERASE = "\r\u001b[K";
