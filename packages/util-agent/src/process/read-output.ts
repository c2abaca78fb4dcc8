import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { type CapturedOutput, captureOutput, type Redactor } from "@uncaged/workflow-util";
import type { OpenCliOptions } from "./cli-run.ts";
import { lineReader, type OutputLine } from "./line-reader.ts";
import type { TimeLimits } from "./time-limits.ts";

const MIB = 1024 * 1024;

export type BothOutputs = {
  stdout: OutputReader;
  stderr: OutputReader;
  /** Rejects with what `onLine` threw. */
  done: Promise<unknown>;
  /** The same, never rejecting. */
  settled: Promise<unknown>;
  close(): void;
};

/** Reads both streams of a program, at the pace of `onLine`. */
export function readBoth(
  streams: { stdout: Readable; stderr: Readable },
  options: Pick<OpenCliOptions, "maxOutputBytes" | "maxLineChars" | "onLine" | "redact">,
  { active, hold }: Pick<TimeLimits, "active" | "hold">,
): BothOutputs {
  const read = (name: "stdout" | "stderr"): OutputReader =>
    readOutput(streams[name], {
      name,
      maxBytes: options.maxOutputBytes ?? MIB,
      maxLineChars: options.maxLineChars ?? MIB,
      onLine: options.onLine,
      redactor:
        name === "stderr" || options.redact?.streams === "both"
          ? options.redact?.redactor
          : undefined,
      onActivity: active,
      hold,
    });
  const stdout = read("stdout");
  const stderr = read("stderr");
  return {
    stdout,
    stderr,
    done: Promise.all([stdout.done, stderr.done]),
    settled: Promise.allSettled([stdout.done, stderr.done]),
    close: () => {
      stdout.close();
      stderr.close();
    },
  };
}

type OutputReader = {
  /** Settles when the stream has ended or was closed, and every line was handled; rejects with what `onLine` threw. */
  done: Promise<void>;
  captured(): CapturedOutput;
  /** Stops reading. */
  close(): void;
};

/** Reads one of a program's streams to its end: keeps what fits, and passes each line on. */
function readOutput(
  stream: Readable,
  opts: {
    name: OutputLine["stream"];
    maxBytes: number;
    maxLineChars: number;
    onLine: ((line: OutputLine) => void | Promise<void>) | undefined;
    redactor: Redactor | undefined;
    /** Called whenever something arrives. */
    onActivity: () => void;
    /** Called when the program has to wait for us; returns the function that ends the wait. */
    hold: () => () => void;
  },
): OutputReader {
  const { onLine, hold } = opts;
  const capture = captureOutput(opts.maxBytes);
  const filter = opts.redactor?.stream() ?? null;
  // A character may be split between chunks.
  const decoder = new StringDecoder("utf8");
  const lines = lineReader(opts.name, opts.maxLineChars);
  const handOn = async (batch: readonly OutputLine[]): Promise<void> => {
    for (const line of batch) {
      const waiting = onLine?.(line);
      if (waiting === undefined) continue;
      const release = hold();
      await waiting.finally(release);
    }
  };
  const read = async (): Promise<void> => {
    for await (const chunk of chunksOf(stream)) {
      opts.onActivity();
      const clean = filter === null ? chunk : Buffer.from(filter.push(decoder.write(chunk)));
      capture.push(clean);
      if (onLine !== undefined) await handOn(lines.push(clean));
    }
    if (filter !== null) {
      const rest = Buffer.from(filter.push(decoder.end()) + filter.end());
      capture.push(rest);
      if (onLine !== undefined) await handOn(lines.push(rest));
    }
    if (onLine !== undefined) await handOn(lines.end());
  };
  return { done: read(), captured: capture.result, close: () => stream.destroy() };
}

/** The stream's chunks. A stream that breaks, or that we close, has simply ended: what arrived is kept. */
async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream) yield chunk;
  } catch {
    // The exit code shows whether the program is well.
  }
}
