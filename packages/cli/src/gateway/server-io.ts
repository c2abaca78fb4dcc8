/** The world of a command that a server calls: it keeps one engine open, asks nobody and prints nothing. */
import { Readable } from "node:stream";
import type { Engine } from "@uncaged/workflow-execute";
import type { Io, Sink } from "../command/io.ts";

export function serverIo(io: Io, engine: Engine): Io {
  const sink: Sink = { write: async () => {}, isTerminal: false, color: false, columns: null };
  return {
    ...io,
    json: true,
    stdin: { kind: "none", chunks: () => Readable.from([]) },
    stdout: sink,
    stderr: sink,
    // A caller that goes away takes nothing back.
    interruption: () => new AbortController().signal,
    engine,
  };
}
